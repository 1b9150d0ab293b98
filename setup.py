"""The compiled modules. Everything else about the package stands in pyproject.toml.

Switches (environment variables, any non-empty value but "0"):
    NARSILPY_DEBUG      bounds checks, -O0 -g
    NARSILPY_ANNOTATE   Cython's annotated HTML beside each .pyx
    NARSILPY_SANITIZE   address sanitizer (run Python with libasan preloaded)
    NARSILPY_ONLY       comma-separated module names: build these alone
    NARSILPY_JOBS       processes to build with (default: one a core)
"""
from __future__ import annotations

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

HERE = Path(__file__).resolve().parent


def switch(name: str) -> bool:
    return os.environ.get(f"NARSILPY_{name}", "0") not in ("", "0")


def sources() -> list[str]:
    """The .pyx files to build, relative to this file with forward slashes, as setuptools wants them."""
    found = sorted((HERE / "ext" / "narsilpy").glob("_*.pyx"))
    only = [name for name in os.environ.get("NARSILPY_ONLY", "").split(",") if name]
    unknown = set(only) - {path.stem for path in found}
    if unknown:
        raise SystemExit(f"NARSILPY_ONLY names modules that are not in ext/narsilpy: {', '.join(sorted(unknown))}")
    return [path.relative_to(HERE).as_posix() for path in found if not only or path.stem in only]


def compiler_flags() -> tuple[list[str], list[str]]:
    """(compile, link) flags."""
    if sys.platform == "win32":
        return (["/Od", "/Zi", "/fp:precise"] if switch("DEBUG") else ["/O2", "/fp:precise"]), []
    # No fused multiply-add: a score must be the same double on every path and machine.
    flags = ["-O0" if switch("DEBUG") else "-O3", "-ffp-contract=off"]
    if switch("DEBUG") or switch("SANITIZE"):
        flags.append("-g")
    if not switch("SANITIZE"):
        return flags, []
    return [*flags, "-fsanitize=address", "-fno-omit-frame-pointer"], ["-fsanitize=address"]


def main() -> None:
    jobs = int(os.environ.get("NARSILPY_JOBS", "0")) or os.cpu_count() or 1
    compile_flags, link_flags = compiler_flags()
    checks = switch("DEBUG")
    headers = [path.relative_to(HERE).as_posix() for path in (HERE / "ext" / "narsilpy").glob("*.h")]
    modules = [
        Extension(
            f"narsilpy.{Path(source).stem}",
            [source],
            include_dirs=["ext/narsilpy"],
            depends=headers,
            extra_compile_args=compile_flags,
            extra_link_args=link_flags,
        )
        for source in sources()
    ]
    setup(
        ext_modules=cythonize(  # type: ignore[no-untyped-call]  # Cython ships partial annotations
            modules,
            include_path=["ext"],  # mirrors the import path: `from narsilpy._x cimport y` finds ext/narsilpy/_x.pxd
            nthreads=jobs if jobs > 1 and len(modules) > 1 else 0,
            annotate=switch("ANNOTATE"),
            compiler_directives={
                "language_level": 3,
                "boundscheck": checks,
                "wraparound": False,
                "initializedcheck": checks,
                "cdivision": True,
                "embedsignature": True,
            },
        ),
        options={"build_ext": {"parallel": jobs}},
    )


if __name__ == "__main__":  # Cython's worker processes import this file again
    main()
