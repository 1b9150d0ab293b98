"""Hypothesis profiles. HYPOTHESIS_PROFILE names one; without it CI=true selects `ci`, anything else `dev`.

    dev      few examples, new ones each run: quick while writing code
    ci       the same examples every run (no flaky build), enough of them to mean something
    nightly  many new examples

No profile has a deadline: on a shared machine a slow example says nothing about the code.
"""
from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Strategies here build whole documents and indexes; that they are slow to draw is known.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}

settings.register_profile("dev", max_examples=50, **_COMMON)
settings.register_profile("ci", max_examples=100, derandomize=True, database=None, print_blob=True, **_COMMON)
settings.register_profile("nightly", max_examples=3000, print_blob=True, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") == "true" else "dev"))
