"""What is left of a sweep on disk, and its commands."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from sparktui.engine.running.cancel import Cancel
from sparktui.errors import RunFailedError, UsageError
from sparktui.io.http.failures import StoppedError
from sparktui.io.sweepstate import SweepState, find_state, left_changed, sweep_dir, tidy_states, write_state
from sparktui.io.variantcommand import run_command


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))


def state(bench_id: str, **fields: object) -> SweepState:
    return SweepState(bench_id=bench_id, digest="d", started_at="2026-11-30T12:00:00", base_url="u", **fields)  # type: ignore[arg-type]


def test_the_newest_unfinished_one_is_found() -> None:
    assert find_state("d") is None
    for number, finished in enumerate((False, False, True)):
        write_state(state(f"b{number}", finished=finished))
    found = find_state("d")
    assert found is not None
    assert found.bench_id == "b1"
    assert find_state("other") is None
    assert (sweep_dir() / "b0.json").stat().st_mode & 0o077 == 0


def test_a_server_left_changed_is_known_until_a_later_sweep_put_it_back() -> None:
    write_state(state("b0", changed=True, original={"model_name": "m"}))
    found = left_changed("u")
    assert found is not None
    assert found.original == {"model_name": "m"}
    assert left_changed("elsewhere") is None
    write_state(state("b1"))
    assert left_changed("u") is None


def test_a_torn_file_is_passed_over_and_old_ones_go() -> None:
    for number in range(55):
        write_state(state(f"b{number:02}"))
    (sweep_dir() / "b99.json").write_text("{")
    tidy_states()
    assert len(list(sweep_dir().glob("*.json"))) == 50
    found = find_state("d")
    assert found is not None
    assert found.bench_id == "b54"


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_a_command_that_ends_well_and_what_it_leaves_running() -> None:
    background = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(0.5)'], start_new_session=True)"
    run_command(python(background), within_s=10, stop=Cancel())


def test_commands_that_fail_are_told_with_their_last_words() -> None:
    with pytest.raises(RunFailedError) as failed:
        run_command(python("import sys; print('port taken'); sys.exit(3)"), within_s=10, stop=Cancel())
    assert "ended with 3" in failed.value.title
    assert failed.value.detail == "port taken"
    with pytest.raises(UsageError, match="cannot be started"):
        run_command(("/no/such/command",), within_s=10, stop=Cancel())
    with pytest.raises(RunFailedError, match=r"has not ended after 0\.2 s"):
        run_command(python("import time; time.sleep(30)"), within_s=0.2, stop=Cancel())


def test_a_command_is_stopped_with_the_sweep() -> None:
    cancel = Cancel()
    threading.Timer(0.1, cancel.set).start()
    with pytest.raises(StoppedError):
        run_command(python("import time; time.sleep(30)"), within_s=20, stop=cancel)
