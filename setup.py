"""The compiled modules. Everything else about the package stands in pyproject.toml.

Switches (environment variables, any non-empty value but "0"):
    NARSILPY_DEBUG      bounds and overflow checks, -O0 -g
    NARSILPY_ANNOTATE   Cython's annotated HTML beside each .pyx
    NARSILPY_SANITIZE   address sanitizer (run Python with libasan preloaded)
    NARSILPY_ONLY       comma-separated module names: build these alone
"""
import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup


def switch(name: str) -> bool:
    return os.environ.get(f"NARSILPY_{name}", "0") not in ("", "0")


SOURCES = sorted(Path("ext/narsilpy").glob("_*.pyx"))
only = [name for name in os.environ.get("NARSILPY_ONLY", "").split(",") if name]
if only:
    SOURCES = [path for path in SOURCES if path.stem in only]

# No fused multiply-add: a score must be the same double on every path and machine.
compile_args = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]
link_args: list[str] = []
if switch("DEBUG"):
    compile_args = ["-O0", "-g", "-ffp-contract=off"]
if switch("SANITIZE"):
    compile_args += ["-fsanitize=address", "-fno-omit-frame-pointer", "-g"]
    link_args += ["-fsanitize=address"]

checks = switch("DEBUG")
setup(
    ext_modules=cythonize(
        [
            Extension(
                f"narsilpy.{path.stem}",
                [str(path)],
                include_dirs=["ext/narsilpy"],
                extra_compile_args=compile_args,
                extra_link_args=link_args,
            )
            for path in SOURCES
        ],
        include_path=["ext"],
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
)
