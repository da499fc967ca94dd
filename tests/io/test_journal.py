"""The journal: complete, at once, locked by its writer, torn tails and a full disk survived, secrets never in it."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from sparktui.core.events import AnyEvent, Bye, Chunk, Hello, PlanProgress, RunDone, Warning, encode_event
from sparktui.engine.running.emit import Emitter
from sparktui.errors import StorageError
from sparktui.io.store.journal import JournalTail, JournalWriter, is_written, read_journal
from tests.runs import run

ROOT = Path(__file__).parents[2]


def hello(**fields: object) -> Hello:
    values = {"protocol": 1, "version": "0.1.0", "pid": 7, "host": "spark", "session": "s1", "clock_ns": 5, "wall": "2026-11-30T12:00:00Z"}
    return Hello(**{**values, **fields})  # type: ignore[arg-type]


def chunk(number: int, text: str = "word ") -> Chunk:
    return Chunk(run_id="run-1", n=number, kind="content", text=text, t_ns=number * 1000)


def test_everything_is_in_the_file_in_order(tmp_path: Path) -> None:
    path = tmp_path / "journals" / "s1.jsonl"
    journal = JournalWriter(path)
    emitter = Emitter([journal])
    sent = [emitter.emit(event) for event in (hello(), *(chunk(n) for n in range(1, 500)), Bye(reason="done"))]
    assert journal.flush()
    assert list(read_journal(path)) == sent
    assert journal.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["s1.jsonl"]


def test_an_event_is_in_the_file_within_moments_without_a_flush(tmp_path: Path) -> None:
    journal = JournalWriter(tmp_path / "s1.jsonl")
    journal(hello())
    until = time.monotonic() + 2
    while not list(read_journal(journal.path)) and time.monotonic() < until:
        time.sleep(0.005)
    assert list(read_journal(journal.path)) == [hello()]
    journal.close()


def test_handing_over_never_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = JournalWriter(tmp_path / "s1.jsonl")
    real = os.write

    def slow(fd: int, data: bytes) -> int:
        time.sleep(0.1)
        return real(fd, data)

    monkeypatch.setattr(os, "write", slow)
    begin = time.perf_counter()
    for number in range(1000):
        journal(chunk(number))
    assert time.perf_counter() - begin < 0.09
    assert journal.close()
    assert len(list(read_journal(journal.path))) == 1000


def test_a_torn_tail_is_passed_over_and_read_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    whole = encode_event(hello()) + b"\n" + encode_event(chunk(1)) + b"\n"
    line = encode_event(chunk(2)) + b"\n"
    path.write_bytes(whole + line[:20])
    tail = JournalTail(path)
    assert tail.read_new() == [hello(), chunk(1)]
    assert list(read_journal(path)) == [hello(), chunk(1)]
    with path.open("ab") as file:
        file.write(line[20:])
    assert tail.read_new() == [chunk(2)]
    assert tail.read_new() == []
    assert tail.skipped == 0


def test_every_cut_of_a_journal_gives_the_whole_lines_before_it(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    events: list[AnyEvent] = [hello(), chunk(1, "grün"), chunk(2, "\u2028 ok"), Bye(reason="done")]
    data = b"".join(encode_event(event) + b"\n" for event in events)
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        assert list(read_journal(path)) == events[: data[:cut].count(b"\n")]


def test_noise_and_unknown_events_are_counted_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    noise = b'Welcome to spark!\n\n{"type":"invented_in_2030","v":9}\n[1,2]\n\xff\xfe\n'
    path.write_bytes(noise + encode_event(hello()) + b"\n")
    tail = JournalTail(path)
    assert tail.read_new() == [hello()]
    assert tail.skipped == 4


def test_a_journal_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be read"):
        list(read_journal(tmp_path / "none.jsonl"))


def test_a_large_journal_is_read_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(b"".join(encode_event(chunk(n, "x" * 900)) + b"\n" for n in range(3000)))
    assert [event.n for event in read_journal(path) if isinstance(event, Chunk)] == list(range(3000))


def test_the_lock_tells_a_living_writer(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    assert not is_written(path)
    journal = JournalWriter(path)
    assert is_written(path)
    journal.close()
    assert not is_written(path)


def test_a_journal_has_one_writer(tmp_path: Path) -> None:
    journal = JournalWriter(tmp_path / "s1.jsonl")
    journal(hello())
    with pytest.raises(StorageError, match="another process"):
        JournalWriter(tmp_path / "s1.jsonl")
    assert journal.close()
    assert list(read_journal(journal.path)) == [hello()]


def test_e03_a_journal_is_gone_on_with_after_its_torn_tail(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(encode_event(hello()) + b'\n{"type":"chu')
    journal = JournalWriter(path)
    journal(chunk(1))
    journal.close()
    assert list(read_journal(path)) == [hello(), chunk(1)]


def test_a_journal_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be made"):
        JournalWriter(tmp_path / ("x" * 300 + ".jsonl"))
    assert list(tmp_path.iterdir()) == []


def test_secrets_never_reach_the_file(tmp_path: Path) -> None:
    secret = 'sk-live-"quoted"\\1234567'
    journal = JournalWriter(tmp_path / "s1.jsonl", secrets=(secret, "", "short"))
    journal(Warning(run_id="run-1", code="auth", text=f"the server said: bad key {secret}, twice {secret}"))
    journal(chunk(1, "short words stay"))
    journal.close()
    data = journal.path.read_text()
    assert "sk-live" not in data and "1234567" not in data
    first, second = read_journal(journal.path)
    assert isinstance(first, Warning) and first.text == "the server said: bad key ***, twice ***"
    assert isinstance(second, Chunk) and second.text == "short words stay"


def test_text_that_is_no_valid_unicode_is_journalled_all_the_same(tmp_path: Path) -> None:
    journal = JournalWriter(tmp_path / "s1.jsonl")
    journal(chunk(1, "a\ud800b"))
    journal(chunk(2))
    assert journal.close()
    assert [event.text for event in read_journal(journal.path) if isinstance(event, Chunk)] == ["a\ufffdb", "word "]


def test_e04_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = JournalWriter(tmp_path / "s1.jsonl", retry_s=0.01)
    real, left = os.write, [30]

    def nearly_full(fd: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = real(fd, bytes(data)[: left[0]])
        left[0] -= written
        return written

    monkeypatch.setattr(os, "write", nearly_full)
    for number in range(1, 20):
        journal(chunk(number))
    assert not journal.flush(0.1)
    assert journal.error is not None and "No space left" in journal.error.title
    assert list(read_journal(journal.path)) == []
    monkeypatch.undo()
    assert journal.flush()
    assert journal.error is None
    assert journal.close()
    assert list(read_journal(journal.path)) == [chunk(number) for number in range(1, 20)]


def test_a_journal_that_cannot_be_written_to_the_end_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = JournalWriter(tmp_path / "s1.jsonl", retry_s=0.01)

    def full(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    journal(chunk(1))
    assert not journal.close()


_WRITER = """
    import sys, time
    from pathlib import Path
    from sparktui.core.events import Chunk
    from sparktui.io.store.journal import JournalWriter
    journal = JournalWriter(Path(sys.argv[1]))
    for number in range(1, 100):
        journal(Chunk(run_id="run-1", n=number, kind="content", text="word "))
    journal.flush()
    print("ready", flush=True)
    time.sleep(30)
"""


def test_a_killed_writer_leaves_its_events_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    command = [sys.executable, "-c", textwrap.dedent(_WRITER), str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        assert is_written(path)
        writer.kill()
    assert not is_written(path)
    assert len(list(read_journal(path))) == 99


def test_a_record_in_a_journal_comes_back_whole(tmp_path: Path) -> None:
    journal = JournalWriter(tmp_path / "s1.jsonl")
    done = RunDone(run_id="run-000001", status="ok", record=run(1, reasoning="hm"))
    journal(done)
    journal(PlanProgress(plan_id="bench-1", done=1, total=4))
    journal.close()
    assert next(iter(read_journal(journal.path))) == done
