"""What sessions that ended early leave: every finished run, and the unfinished one as cut off with what had arrived."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sparktui.core.delta import ServerFigures
from sparktui.core.events import AnyEvent, Bye, Chunk, Headers, Hello, Joined, RunDone, RunStarted, Usage, encode_event
from sparktui.core.records import RunParams
from sparktui.io.store.history import History
from sparktui.io.store.journal import JournalWriter
from sparktui.io.store.recovery import recover, recover_into, tidy
from tests.runs import SERVER, prompt_info, run

ROOT = Path(__file__).parents[2]
MS = 1_000_000


def hello(**fields: object) -> Hello:
    values = {"protocol": 1, "version": "0.1.0", "pid": 7, "host": "spark", "session": "s1", "clock_ns": 5, "wall": "2026-11-30T12:00:00Z"}
    return Hello(**{**values, **fields})  # type: ignore[arg-type]


def started(number: int, t_send_ns: int = 1000) -> RunStarted:
    return RunStarted(
        run_id=f"run-{number:06d}",
        prompt=prompt_info("story", "Tell me."),
        params=RunParams(temperature=0, max_tokens=800),
        t_send_ns=t_send_ns,
        started_at="2026-11-30T12:00:00Z",
        label="shipped",
        bench_id="bench-1",
        run_no=number,
        server=SERVER,
    )


def chunk(number: int, n: int, text: str, t_ns: int) -> Chunk:
    return Chunk(run_id=f"run-{number:06d}", n=n, kind="content", text=text, t_ns=t_ns)


def written(path: Path, events: list[AnyEvent], torn: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(encode_event(event) + b"\n" for event in events) + torn)
    return path


def unfinished(number: int) -> list[AnyEvent]:
    return [
        started(number),
        Headers(run_id=f"run-{number:06d}", status=200, t_ns=1000 + 4 * MS),
        chunk(number, 1, "The lamp ", 1000 + 600 * MS),
        chunk(number, 2, "was lit, ", 1000 + 770 * MS),
        chunk(number, 3, "and then", 1000 + 940 * MS),
    ]


def test_the_unfinished_run_keeps_what_had_arrived(tmp_path: Path) -> None:
    path = written(tmp_path / "s1.jsonl", [hello(), *unfinished(2)], torn=b'{"type":"chunk","run_id":"run-0')
    (record,) = recover(path)
    assert (record.id, record.status, record.label, record.bench_id, record.run_no) == ("run-000002", "cut_off", "shipped", "bench-1", 2)
    assert record.text == "The lamp was lit, and then"
    assert record.chunks == 3
    assert record.ttft_s == pytest.approx(0.6)
    assert record.decode_s == pytest.approx(0.34)
    assert record.server == SERVER
    assert record.tokens_estimated
    assert record.error is not None and "journal" in record.error
    assert record.timeline is not None and [mark.characters for mark in record.timeline] == [9, 9, 8]
    assert record.draft_accepted is None and record.verify_steps is None


def test_a_run_that_had_not_begun_to_answer(tmp_path: Path) -> None:
    (record,) = recover(written(tmp_path / "s1.jsonl", [hello(), started(1)]))
    assert (record.status, record.chunks, record.ttft_s, record.client_tok_s, record.completion_tokens) == ("cut_off", 0, None, None, None)


def test_finished_runs_come_with_their_last_record(tmp_path: Path) -> None:
    joined = run(1, draft_accepted=645)
    events: list[AnyEvent] = [
        hello(),
        started(1),
        RunDone(run_id="run-000001", status="ok", record=run(1, draft_accepted=None)),
        *unfinished(2),
        Joined(run_id="run-000001", source="log", record=joined),
        started(3),
        RunDone(run_id="run-000003", status="cancelled", record=run(3, status="cancelled")),
    ]
    found = recover(written(tmp_path / "s1.jsonl", events))
    assert [(record.id, record.status) for record in found] == [
        ("run-000001", "ok"),
        ("run-000002", "cut_off"),
        ("run-000003", "cancelled"),
    ]
    assert found[0] == joined


def test_a_retry_starts_the_stamps_anew(tmp_path: Path) -> None:
    events = [hello(), started(1, 1000), started(1, 1000 + 5000 * MS), chunk(1, 1, "late ", 1000 + 5600 * MS)]
    (record,) = recover(written(tmp_path / "s1.jsonl", events))
    assert record.ttft_s == pytest.approx(0.6)


def test_figures_that_had_arrived_are_kept(tmp_path: Path) -> None:
    events = [hello(), *unfinished(1), Usage(run_id="run-000001", figures=ServerFigures(completion_tokens=9, prompt_tokens=18))]
    (record,) = recover(written(tmp_path / "s1.jsonl", events))
    assert (record.completion_tokens, record.prompt_tokens, record.tokens_estimated) == (9, 18, False)


def test_an_unknown_server_is_no_obstacle(tmp_path: Path) -> None:
    import msgspec

    begin = msgspec.structs.replace(started(1), server=None)
    (record,) = recover(written(tmp_path / "s1.jsonl", [hello(), begin]))
    assert record.server.base_url == ""


def test_journals_are_taken_in_once_and_deleted_runs_stay_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    done = RunDone(run_id="run-000001", status="ok", record=run(1))
    written(folder / "killed.jsonl", [hello(), started(1), done, *unfinished(2)])
    written(folder / "ended.jsonl", [hello(), RunDone(run_id="run-000003", status="ok", record=run(3)), Bye(reason="finished")])
    with History.open(tmp_path / "history.sqlite3") as history:
        history.add(run(1, label="labelled since"))
        added = recover_into(history, folder)
        assert sorted(record.id for record in added) == ["run-000002", "run-000003"]
        assert history.get("run-000001").label == "labelled since"
        assert history.get("run-000002", timeline=True).text == "The lamp was lit, and then"
        history.delete(["run-000002"])
        assert recover_into(history, folder) == []
        history.settle("killed.jsonl", 0)
        assert recover_into(history, folder) == []
        assert history.count() == 2


def test_sessions_not_to_be_stored_are_not_recovered(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    written(folder / "s1.jsonl", [hello(keep_history=False), *unfinished(1)])
    with History.open(tmp_path / "history.sqlite3") as history:
        assert recover_into(history, folder) == []


def test_texts_are_not_recovered_where_they_are_not_kept(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    written(folder / "s1.jsonl", [hello(), *unfinished(1)])
    with History.open(tmp_path / "history.sqlite3") as history:
        recover_into(history, folder, keep_text=False)
        assert (history.get("last").text, history.get("last").prompt.text) == (None, None)


def test_running_sessions_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    journal = JournalWriter(folder / "s1.jsonl")
    for event in (hello(), *unfinished(1)):
        journal(event)
    journal.flush()
    with History.open(tmp_path / "history.sqlite3") as history:
        assert recover_into(history, folder) == []
        journal.close()
        assert [record.id for record in recover_into(history, folder)] == ["run-000001"]


def test_tidying_prunes_only_what_was_taken_in(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    path = written(folder / "s1.jsonl", [hello(), *unfinished(1)])
    with History.open(tmp_path / "history.sqlite3") as history:
        added = tidy(history, folder, days=0, megabytes=0, now_s=path.stat().st_mtime + 1e6)
        assert [record.status for record in added] == ["cut_off"]
        assert list(folder.iterdir()) == []


def test_e01_a_bench_killed_in_mid_sweep_leaves_three_runs_and_the_fourth_cut_off(tmp_path: Path) -> None:
    script = """
        import sys, time
        from pathlib import Path
        from sparktui.engine.running.emit import Emitter
        from sparktui.core.events import Plan, RunDone
        from sparktui.io.store.history import History
        from sparktui.io.store.historysink import HistorySink
        from sparktui.io.store.journal import JournalWriter
        from tests.io.test_recovery import hello, started, unfinished
        from tests.runs import run
        folder = Path(sys.argv[1])
        journal = JournalWriter(folder / "journals" / "s1.jsonl")
        emitter = Emitter([HistorySink(lambda: History.open(folder / "history.sqlite3")), journal])
        emitter.emit(hello())
        emitter.emit(Plan(plan_id="bench-1", kind="bench", cells=(), total=5))
        for number in (1, 2, 3):
            emitter.emit(started(number))
            emitter.emit(RunDone(run_id=f"run-{number:06d}", status="ok", record=run(number)))
        for event in unfinished(4):
            emitter.emit(event)
        journal.flush()
        print("three done", flush=True)
        time.sleep(30)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as bench:
        assert bench.stdout is not None
        assert bench.stdout.readline() == "three done\n"
        bench.kill()
    with History.open(tmp_path / "history.sqlite3") as history:
        assert history.count("status:ok") == 3
        tidy(history, tmp_path / "journals")
        assert [(record.id, record.status) for record in history.query(sort="id")] == [
            ("run-000001", "ok"),
            ("run-000002", "ok"),
            ("run-000003", "ok"),
            ("run-000004", "cut_off"),
        ]


def test_a_clock_set_back_by_years_clears_nothing_away(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    path = written(folder / "s1.jsonl", [hello(), *unfinished(1)])
    with History.open(tmp_path / "history.sqlite3") as history:
        assert len(tidy(history, folder, days=14, now_s=1_000.0)) == 1
        assert path.exists() and history.get("run-000001").status == "cut_off"
        assert tidy(history, folder, days=14, now_s=1_000.0) == []


def test_a_recovered_journal_loses_its_texts_where_none_are_kept(tmp_path: Path) -> None:
    path = written(tmp_path / "journals" / "s1.jsonl", [hello(), *unfinished(2)], torn=b'{"type":"chunk","text":"and then')
    with History.open(tmp_path / "history.sqlite3") as history:
        (found,) = recover_into(history, path.parent, keep_text=False)
        assert found.chunks == 3
        stored = history.get(found.id)
        assert (stored.chunks, stored.text, stored.prompt.text) == (3, None, None)
        left = path.read_bytes()
        assert b"lamp" not in left and b"and then" not in left and b"Tell me." not in left
        # it is not looked through again, and the run that is there stays as it is
        assert recover_into(history, path.parent, keep_text=False) == []
        assert history.get(found.id) == stored
