"""A session: hello first, goodbye last, everything in the journal and the history, nothing of it where that was not wanted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparktui.core.config import HistoryConfig
from sparktui.core.events import AnyEvent, Bye, Chunk, ErrorEvent, Hello, RunDone, RunStarted, encode_event
from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.engine.hosting.session import Session
from sparktui.io.paths import journal_path
from sparktui.io.store.history import History
from sparktui.io.store.journal import read_journal

RECORD = RunRecord(
    id="run-1", started_at="2026-11-30T12:00:00.000Z", label="shipped", status="ok", server=ServerInfo(kind="demo", base_url="http://127.0.0.1:1"),
    prompt=PromptInfo(name="story", sha256="0", text="Tell."), params=RunParams(temperature=0), text="Once.",
)  # fmt: skip


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(folder))
    return folder


def test_hello_first_goodbye_last_and_the_run_in_the_history() -> None:
    seen: list[AnyEvent] = []
    session = Session("bench", HistoryConfig(), sinks=[seen.append])
    session.emitter.emit(RunDone(run_id="run-1", status="ok", record=RECORD))
    assert session.close("done") == []
    assert session.notes == []
    written = list(read_journal(journal_path(session.id)))
    assert written == seen
    assert isinstance(written[0], Hello)
    assert (written[0].session, written[0].purpose) == (session.id, "bench")
    assert written[-1] == seen[-1]
    assert isinstance(written[-1], Bye)
    with History.open() as history:
        assert history.get("run-1").text == "Once."


def test_texts_stay_out_of_the_history_where_asked() -> None:
    session = Session("bench", HistoryConfig(keep_text=False))
    session.emitter.emit(RunDone(run_id="run-1", status="ok", record=RECORD))
    session.close("done")
    with History.open() as history:
        assert history.get("run-1").text is None


def test_nothing_is_stored_where_asked(data_dir: Path) -> None:
    session = Session("ask", HistoryConfig(), store=False)
    session.emitter.emit(RunDone(run_id="run-1", status="ok", record=RECORD))
    session.close("done")
    assert not data_dir.exists()


def test_a_secret_never_reaches_the_journal() -> None:
    session = Session("bench", HistoryConfig(), masked=("SPK-CANARY-1234",))
    session.emitter.emit(ErrorEvent(title="refused SPK-CANARY-1234"))
    session.close("done")
    assert b"CANARY" not in journal_path(session.id).read_bytes()


def test_a_data_folder_that_cannot_be_made_is_noted_and_measuring_goes_on(data_dir: Path) -> None:
    data_dir.write_text("a file, not a folder", encoding="utf-8")
    session = Session("bench", HistoryConfig())
    session.emitter.emit(RunDone(run_id="run-1", status="ok", record=RECORD))
    assert [record.id for record in session.close("done")] == ["run-1"]
    assert session.notes
    assert str(data_dir) in session.notes[0]


def test_a_killed_journal_past_its_age_is_recovered_before_it_is_cleared_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path))
    killed = tmp_path / "journals" / "0killed.jsonl"
    killed.parent.mkdir()
    hello = Hello(protocol=1, version="1", pid=1, host="h", session="0killed", clock_ns=1, wall="2026-01-01T00:00:00.000Z", seq=1, t_ns=1)
    prompt = PromptInfo(name="story", sha256="0", text="Tell.")
    started = RunStarted(
        run_id="0run", prompt=prompt, params=RunParams(), t_send_ns=2, started_at="2026-01-01T00:00:00.000Z", seq=2, t_ns=2
    )  # fmt: skip
    chunk = Chunk(run_id="0run", n=1, kind="content", text="Once", seq=3, t_ns=3)
    killed.write_bytes(b"".join(encode_event(event) + b"\n" for event in (hello, started, chunk)))
    os.utime(killed, (0, 0))
    Session("bench", HistoryConfig(journal_days=1)).close("done")
    assert not killed.exists()
    with History.open() as history:
        record = history.get("0run", text=True)
    assert (record.status, record.text) == ("cut_off", "Once")


def test_where_texts_are_not_kept_the_journal_has_them_only_until_the_session_ended() -> None:
    session = Session("bench", HistoryConfig(keep_text=False))
    started = RunStarted(run_id="run-1", prompt=RECORD.prompt, params=RECORD.params, t_send_ns=1, started_at=RECORD.started_at)
    for event in (started, Chunk(run_id="run-1", n=1, kind="content", text="Once."), RunDone(run_id="run-1", status="ok", record=RECORD)):
        session.emitter.emit(event)
    assert [event.text for event in session.since(0) if isinstance(event, Chunk)] == ["Once."]
    assert session.close("done") == []
    left = journal_path(session.id).read_bytes()
    assert b"Once." not in left and b"Tell." not in left
    kept = list(read_journal(journal_path(session.id)))
    assert isinstance(kept[0], Hello) and isinstance(kept[-1], Bye)
    assert [event.record.id for event in kept if isinstance(event, RunDone)] == ["run-1"]


def test_what_could_not_be_stored_keeps_its_text_in_the_journal(data_dir: Path) -> None:
    session = Session("bench", HistoryConfig(keep_text=False))
    (data_dir / "history.sqlite3").mkdir()
    session.emitter.emit(RunDone(run_id="run-1", status="ok", record=RECORD))
    assert [record.id for record in session.close("done")] == ["run-1"]
    assert b"Once." in journal_path(session.id).read_bytes()
