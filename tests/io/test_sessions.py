"""Which sessions run, ended or were killed, and which journals are cleared away."""

from __future__ import annotations

import os
from pathlib import Path

from sparktui.core.events import Bye, Hello, encode_event
from sparktui.io.store.journal import JournalWriter
from sparktui.io.store.sessions import prune_journals, session_at, sessions

DAY_S = 86_400


def hello(session: str) -> Hello:
    return Hello(
        protocol=1, version="0.1.0", pid=7, host="spark", session=session, clock_ns=5, wall="2026-11-30T12:00:00Z", purpose="bench"
    )


def journal(folder: Path, name: str, *, ended: bool = True, age_s: float = 0, now_s: float = 1e9, padding: int = 0) -> Path:
    path = folder / f"{name}.jsonl"
    lines = [encode_event(hello(name)), b"#" * padding]
    lines += [encode_event(Bye(reason="plan finished"))] * ended
    path.write_bytes(b"\n".join(lines) + b"\n")
    os.utime(path, (now_s - age_s, now_s - age_s))
    return path


def test_running_ended_and_killed(tmp_path: Path) -> None:
    journal(tmp_path, "ended", age_s=5)
    journal(tmp_path, "killed", ended=False, age_s=9)
    (tmp_path / "torn.jsonl").write_bytes(encode_event(hello("torn")) + b'\n{"type":"by')
    os.utime(tmp_path / "torn.jsonl", (1e9 - 7, 1e9 - 7))
    (tmp_path / "notes.txt").write_text("not a journal")
    writer = JournalWriter(tmp_path / "running.jsonl")
    writer(hello("running"))
    writer.flush()
    os.utime(writer.path, (1, 1))
    found = sessions(tmp_path)
    assert [(item.name, item.state, item.reason) for item in found] == [
        ("running", "running", ""),
        ("ended", "ended", "plan finished"),
        ("torn", "killed", ""),
        ("killed", "killed", ""),
    ]
    assert found[0].hello == hello("running")
    writer(Bye(reason="stopped"))
    writer.flush()
    assert session_at(writer.path).state == "ended"
    writer.close()


def test_a_folder_that_is_not_there_has_no_sessions(tmp_path: Path) -> None:
    assert sessions(tmp_path / "none") == []


def test_a_file_that_does_not_begin_as_a_journal(tmp_path: Path) -> None:
    (tmp_path / "odd.jsonl").write_bytes(b"\x00\x01\n")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    assert {(item.name, item.hello, item.state) for item in sessions(tmp_path)} == {("odd", None, "killed"), ("empty", None, "killed")}


def test_pruning_by_age(tmp_path: Path) -> None:
    journal(tmp_path, "old", age_s=15 * DAY_S)
    journal(tmp_path, "young", age_s=13 * DAY_S)
    journal(tmp_path, "wanted", age_s=20 * DAY_S)
    deleted = prune_journals(tmp_path, days=14, megabytes=500, now_s=1e9, keep=("wanted",))
    assert [path.name for path in deleted] == ["old.jsonl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["wanted.jsonl", "young.jsonl"]


def test_pruning_by_size_takes_the_oldest_first(tmp_path: Path) -> None:
    for age in range(5):
        journal(tmp_path, f"age{age}", age_s=age * 60, padding=400_000)
    prune_journals(tmp_path, days=14, megabytes=1, now_s=1e9)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["age0.jsonl", "age1.jsonl"]


def test_a_running_session_is_never_pruned(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path / "running.jsonl")
    writer(hello("running"))
    writer.flush()
    os.utime(writer.path, (1, 1))
    assert prune_journals(tmp_path, days=1, megabytes=0, now_s=1e9) == []
    writer.close()
    assert prune_journals(tmp_path, days=1, megabytes=0, now_s=1e9) == [writer.path]
