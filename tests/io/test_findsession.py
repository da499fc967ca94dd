"""Which session is meant, and that a process is only ever signalled where it certainly writes that journal."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from sparktui.core.events import Bye, Hello, encode_event
from sparktui.errors import UsageError
from sparktui.io.store.findsession import running, session_named, writer_pid
from sparktui.io.store.journal import JournalWriter
from sparktui.io.store.sessions import session_at


def hello(session: str, *, purpose: str = "bench", pid: int | None = None, host: str | None = None) -> Hello:
    return Hello(
        protocol=1, version="0", pid=os.getpid() if pid is None else pid, host=host or socket.gethostname(), session=session, clock_ns=1,
        wall="2026-11-30T12:00:00Z", purpose=purpose,
    )  # fmt: skip


def living(folder: Path, name: str, **fields: object) -> JournalWriter:
    journal = JournalWriter(folder / f"{name}.jsonl")
    journal(hello(name, **fields))  # type: ignore[arg-type]
    journal.flush()
    return journal


def test_the_newest_bench_comes_first_and_screens_last(tmp_path: Path) -> None:
    journals = [living(tmp_path, "a1"), living(tmp_path, "a2", purpose="needle"), living(tmp_path, "a3", purpose="worker")]
    (tmp_path / "a9.jsonl").write_bytes(encode_event(hello("a9")) + b"\n")
    assert [session.name for session in running(tmp_path)] == ["a2", "a1", "a3"]
    assert [session.name for session in running(tmp_path, ("bench",))] == ["a1"]
    for journal in journals:
        journal.close()


def test_a_session_by_path_by_id_and_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    for name in ("0mx3u-aa", "0mx3u-ab", "0mx4"):
        (tmp_path / f"{name}.jsonl").write_bytes(encode_event(hello(name)) + b"\n")
    assert session_named(str(tmp_path / "0mx4.jsonl")).name == "0mx4"
    assert session_named("0mx3u-aa", tmp_path).name == "0mx3u-aa"
    assert session_named("0mx4", tmp_path).name == "0mx4"
    with pytest.raises(UsageError, match="Several session ids begin"):
        session_named("0mx3", tmp_path)
    with pytest.raises(UsageError, match="No session id begins"):
        session_named("zz", tmp_path)
    with pytest.raises(UsageError, match="There is no journal"):
        session_named(str(tmp_path / "none.jsonl"), tmp_path)


def test_a_process_is_named_only_where_it_has_this_very_journal_open(tmp_path: Path) -> None:
    journal = living(tmp_path, "own")
    assert writer_pid(session_at(journal.path)) == os.getpid()
    other = living(tmp_path, "other", pid=1)
    assert writer_pid(session_at(other.path)) is None
    elsewhere = living(tmp_path, "far", host="elsewhere")
    assert writer_pid(session_at(elsewhere.path)) is None
    journal(Bye(reason="done"))
    journal.flush()
    assert writer_pid(session_at(journal.path)) is None
    for item in (journal, other, elsewhere):
        item.close()
