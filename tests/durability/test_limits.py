"""The operating system itself refuses: a file size limit, a directory without permission. In processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from narsilpy.storage.store import Store

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and permissions of POSIX")

FULL = """
import resource, signal, sys
from narsilpy.errors import StorageFailed
from narsilpy.storage.store import Store

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store.open(sys.argv[1])
index = store.create_index("a", {})
with index.transaction() as txn:
    txn.put(0, "first", b"x" * 1000)
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))
try:
    with index.transaction() as txn:
        txn.put(1, "too much", b"y" * 10_000)
except StorageFailed as error:
    print(error.code, len(index), index.find("too much"))
with index.transaction() as txn:
    txn.put(1, "small", b"z")
print(sorted(doc_id for _, doc_id, _ in index.documents()))
store.close()
"""

DENIED = """
import os, sys
from narsilpy.errors import StorageFailed
from narsilpy.storage.store import Store

if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
for path, read_only in ((sys.argv[1], False), (sys.argv[1] + "/below", False), (sys.argv[1], True)):
    try:
        store = Store.open(path, read_only=read_only)
        print("opened", len(store.indexes["a"]))
    except StorageFailed as error:
        print(error.code, "permission denied" in error.message)
"""


def run(code: str, path: Path) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_write_beyond_the_limit_is_refused_and_the_next_one_taken(tmp_path: Path) -> None:
    assert run(FULL, tmp_path / "e") == ["PERSISTENCE_SAVE_FAILED 1 None", "['first', 'small']"]
    with Store.open(tmp_path / "e") as store:
        assert [doc_id for _, doc_id, _ in store.indexes["a"].documents()] == ["first", "small"]


def test_a_directory_that_may_only_be_read(tmp_path: Path) -> None:
    path = tmp_path / "e"
    with Store.open(path) as store, store.create_index("a", {}).transaction() as txn:
        txn.put(0, "one", b"")
    for parent in (tmp_path, *tmp_path.parents):  # the tests' own directories may be closed to others
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    path.chmod(0o555)
    denied = "PERSISTENCE_SAVE_FAILED True"
    assert run(DENIED, path) == [denied, denied, "opened 1"]
    path.chmod(0o700 if os.geteuid() else 0o000)
    closed = run(DENIED, path)
    path.chmod(0o755)
    assert closed[0].endswith("True") and closed[2].startswith("PERSISTENCE_LOAD_FAILED")
