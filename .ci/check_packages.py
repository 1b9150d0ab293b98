"""What the built packages hold. Usage: check_packages.py DIST_DIR (one sdist and one wheel in it)."""
from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path


def names_of(dist: Path) -> tuple[list[str], list[str]]:
    (sdist,) = dist.glob("*.tar.gz")
    (wheel,) = dist.glob("*.whl")
    with tarfile.open(sdist) as tar:
        in_sdist = [name.split("/", 1)[1] for name in tar.getnames() if "/" in name]
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = archive.namelist()
    return in_sdist, in_wheel


def faults(in_sdist: list[str], in_wheel: list[str]) -> list[str]:
    found = []
    sources = sorted(Path("ext/narsilpy").glob("_*.pyx"))
    for path in [*sources, *Path("ext/narsilpy").glob("*.pxd"), Path("tests/conftest.py"), Path("LICENSE")]:
        if path.as_posix() not in in_sdist:
            found.append(f"the sdist lacks {path}")
    found += [f"the sdist holds generated {name}" for name in in_sdist if name.endswith((".c", ".so", ".pyc"))]
    for source in sources:
        if not any(name.startswith(f"narsilpy/{source.stem}.") and name.endswith((".so", ".pyd")) for name in in_wheel):
            found.append(f"the wheel lacks the compiled {source.stem}")
    kinds = (".py", ".pyi", ".typed", ".txt", ".json")
    shipped = [path for path in Path("narsilpy").rglob("*") if path.suffix in kinds]
    found += [f"the wheel lacks {path}" for path in shipped if path.as_posix() not in in_wheel]
    allowed = ("narsilpy/", "narsilpy-")
    found += [f"the wheel holds {name}" for name in in_wheel if not name.startswith(allowed)]
    found += [f"the wheel holds source {name}" for name in in_wheel if name.endswith((".pyx", ".pxd", ".c", ".h"))]
    return found


if __name__ == "__main__":
    problems = faults(*names_of(Path(sys.argv[1])))
    print("\n".join(problems) or "sdist and wheel hold what they should")
    sys.exit(bool(problems))
