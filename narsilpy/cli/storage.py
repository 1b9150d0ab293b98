"""`narsilpy verify PATH`, `narsilpy backup PATH TARGET`, `narsilpy compact PATH`: the health of an engine on disk."""

from __future__ import annotations

import argparse

__all__ = ["add"]


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verify = commands.add_parser("verify", help="check every byte of an engine on disk")
    verify.add_argument("path", metavar="PATH")
    verify.set_defaults(run=run_verify)
    backup = commands.add_parser("backup", help="copy an engine on disk, also while a program writes to it")
    backup.add_argument("path", metavar="PATH")
    backup.add_argument("target", metavar="TARGET", help="a new directory")
    backup.set_defaults(run=run_backup)
    compact = commands.add_parser("compact", help="merge every index and give the space of removed documents back")
    compact.add_argument("path", metavar="PATH")
    compact.set_defaults(run=run_compact)


def run_verify(arguments: argparse.Namespace) -> int:
    """Exit status 1 where anything is damaged."""
    from narsilpy.storage.maintenance import verify

    report = verify(arguments.path)
    for problem in report.problems:
        print(problem)
    print(
        f"{report.n_files} files, {report.n_bytes} bytes, {report.n_indexes} indexes, {report.n_documents} documents: "
        + (f"{len(report.problems)} problems" if report.problems else "sound")
    )
    return 1 if report.problems else 0


def run_backup(arguments: argparse.Namespace) -> int:
    from narsilpy import Narsil

    with Narsil(arguments.path, read_only=True) as narsil:
        narsil.backup(arguments.target)
    return 0


def run_compact(arguments: argparse.Namespace) -> int:
    from narsilpy import Narsil

    with Narsil(arguments.path) as narsil:
        for name in narsil.list_indexes():
            before = narsil.get_stats(name).disk_bytes
            narsil.optimize(name)
            print(f"{name}: {before} to {narsil.get_stats(name).disk_bytes} bytes")
    return 0
