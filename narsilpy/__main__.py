"""`python -m narsilpy`: the same program as the console script `narsilpy`."""
from __future__ import annotations

import sys

from narsilpy.cli import main

if __name__ == "__main__":
    sys.exit(main())
