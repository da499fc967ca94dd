"""The real program on a pseudo-terminal: what it shows, what it leaves behind, and what is kept however it ends."""

from __future__ import annotations

import re
import signal
import sys
import time
from pathlib import Path

from sparktui.core.records import RunRecord
from sparktui.io.store.history import History
from tests.support_terminal import Terminal, program

FAST = ("--demo", "--demo-speed", "30")
_MODE = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
# autowrap and the cursor are on by themselves
_ON_BY_DEFAULT = {b"7", b"25"}


def stored(home: Path) -> list[RunRecord]:
    """What the history holds, the oldest first."""
    with History.open(home / "data" / "history.sqlite3") as history:
        return [history.get(record.id) for record in history.query()[::-1]]


def left_on(raw: bytes) -> set[bytes]:
    """Private modes of the terminal that differ at the end from those of a fresh one."""
    modes: dict[bytes, bytes] = {}
    for names, action in _MODE.findall(raw):
        modes |= dict.fromkeys(names.split(b";"), action)
    return {name for name, action in modes.items() if (action == b"h") != (name in _ON_BY_DEFAULT)}


def restored(terminal: Terminal) -> bool:
    """Whether screen, mouse, paste and cursor modes, and the line's own flags, are as the program found them."""
    assert b"\x1b[?1049h" in terminal.raw
    assert left_on(terminal.raw) == set()
    assert terminal.flags_after == terminal.flags_before
    return not terminal.cursor_hidden()


def test_a_key_makes_a_stream_and_its_figures_stay(tmp_path: Path) -> None:
    with program(tmp_path, *FAST) as terminal:
        first = terminal.until("b bench")
        assert "DEMO SERVER" in first and "simulated" in first and "no runs yet" in first
        terminal.type("s")
        shown = terminal.until("✓ done")
        assert "story · T 1.0" in shown and "794 / 800" in shown
        terminal.until("1 run")
        assert "▸" in terminal.text()
        (record,) = stored(tmp_path)
        assert f"{record.client_tok_s:,.1f}" in terminal.text()
        terminal.type("q")
        assert terminal.exit_code() == 0
        assert restored(terminal)


def test_d13_ctrl_c_cancels_and_a_second_one_when_idle_quits(tmp_path: Path) -> None:
    with program(tmp_path, "--demo", "--demo-speed", "3") as terminal:
        terminal.until("b bench")
        terminal.type("s")
        terminal.until(lambda: "x cancel" in terminal.text() and "per chunk" in terminal.text())
        time.sleep(0.3)
        terminal.type("\x03")
        terminal.until("cancelled")
        (record,) = stored(tmp_path)
        assert record.status == "cancelled" and record.text
        terminal.type("\x03")
        terminal.until("Quit?")
        terminal.type("\x03")
        assert terminal.exit_code() == 0
        assert restored(terminal)


def test_d15_a_lost_line_ends_it_within_five_seconds_and_loses_no_run(tmp_path: Path) -> None:
    with program(tmp_path, "--demo", "--demo-speed", "10") as terminal:
        terminal.until("b bench")
        for number in (1, 2):
            terminal.type("c")
            terminal.until(f"{number} run")
            terminal.until("✓ done")
        terminal.type("s")
        terminal.until(lambda: "x cancel" in terminal.text() and "per chunk" in terminal.text())
        time.sleep(0.3)
        assert terminal.family()
        terminal.hang_up()
        assert terminal.exit_code(within_s=5) == 129
        assert terminal.all_gone(within_s=5)
    records = stored(tmp_path)
    assert [record.status for record in records] == ["ok", "ok", "cancelled"]
    assert records[-1].text


def test_d15_a_bench_whose_line_is_lost_keeps_its_runs_too(tmp_path: Path) -> None:
    words = ("bench", "--demo", "--demo-speed", "20", "--prompts", "code", "--temps", "0", "--runs", "40", "--warmup", "0")
    with program(tmp_path, *words) as terminal:
        terminal.until(lambda: terminal.raw.count("✓ code".encode()) >= 2)
        terminal.family()
        terminal.hang_up()
        terminal.exit_code(within_s=5)
        assert terminal.all_gone(within_s=5)
    statuses = [record.status for record in stored(tmp_path)]
    assert statuses[:2] == ["ok", "ok"] and len(statuses) < 40
    assert set(statuses[2:]) <= {"ok", "cancelled", "cut_off"}


def test_d16_sigterm_in_a_run_restores_the_terminal_and_keeps_the_run(tmp_path: Path) -> None:
    with program(tmp_path, "--demo", "--demo-speed", "3") as terminal:
        terminal.until("b bench")
        terminal.type("s")
        terminal.until(lambda: "x cancel" in terminal.text() and "per chunk" in terminal.text())
        time.sleep(0.3)
        terminal.family()
        terminal.signal(signal.SIGTERM)
        assert terminal.exit_code() == 143
        assert restored(terminal) and terminal.all_gone()
    assert [record.status for record in stored(tmp_path)] == ["cancelled"]


def test_a_screen_that_is_killed_leaves_no_process_and_its_run_is_kept(tmp_path: Path) -> None:
    with program(tmp_path, "--demo", "--demo-speed", "3") as terminal:
        terminal.until("b bench")
        terminal.type("s")
        terminal.until(lambda: "x cancel" in terminal.text() and "per chunk" in terminal.text())
        time.sleep(0.3)
        assert len(terminal.family()) >= 2
        terminal.signal(signal.SIGKILL)
        assert terminal.exit_code() == -9
        assert terminal.all_gone()
    (record,) = stored(tmp_path)
    assert record.status == "cancelled" and record.text


def test_d16_a_crash_restores_the_terminal_and_is_one_line_without_anybodys_key(tmp_path: Path) -> None:
    break_it = (
        "import os\n"
        "from sparktui.tui.screens.live_paint import LivePainter\n"
        "real = LivePainter.paint\n"
        "def paint(self, due):\n"
        "    local = 'CANARY-' + 'local'\n"
        "    real(self, due)\n"
        "    if self._app.session.active: raise ValueError('refused: ' + os.environ['K'])\n"
        "LivePainter.paint = paint\n"
    )
    with program(tmp_path, *FAST, "--api-key-env", "K", before=break_it, env={"K": "CANARY-configured"}) as terminal:
        terminal.until("b bench")
        terminal.family()
        terminal.type("s")
        assert terminal.exit_code() == 5
        assert restored(terminal) and terminal.all_gone()
        said = terminal.raw.rpartition(b"sparktui: ")[2].decode()
        assert said.startswith("internal error (ValueError); report: ")
        report = Path("".join(said.partition("report: ")[2].split()))
        written = report.read_text("utf-8")
    assert b"Traceback" not in terminal.raw and b"CANARY" not in terminal.raw
    assert "ValueError: refused: ***" in written and "CANARY" not in written.replace("'CANARY-' + 'local'", "")


def test_d21_a_worker_that_dies_is_told_and_replaced_and_the_screen_goes_on(tmp_path: Path) -> None:
    with program(tmp_path, "--demo", "--demo-speed", "10") as terminal:
        terminal.until("b bench")
        terminal.type("s")
        terminal.until(lambda: "x cancel" in terminal.text() and "per chunk" in terminal.text())
        worker = next(process for process in terminal.family() if "worker" in process.cmdline())
        worker.kill()
        terminal.until("killed by signal 9")
        terminal.until("■ cut off")
        terminal.until("b bench")
        terminal.type("c")
        terminal.until("✓ done")
        terminal.type("q")
        assert terminal.exit_code() == 0


def test_ctrl_z_gives_the_shell_a_clean_terminal_and_fg_the_screen_back(tmp_path: Path) -> None:
    with program(tmp_path, argv=["bash", "--norc", "--noprofile", "-i"], env={"PS1": "$ ", "HISTFILE": "/dev/null"}) as terminal:
        terminal.until("$")
        terminal.type(f"{sys.executable} -m sparktui --demo --demo-speed 8\r")
        terminal.until("b bench")
        terminal.type("s")
        terminal.until(lambda: "x cancel" in terminal.text() and "per chunk" in terminal.text())
        terminal.type("\x1a")
        terminal.until("Stopped")
        assert left_on(terminal.raw) <= {b"2004"}  # the shell's own line editing
        terminal.type("echo in the shell\r")
        terminal.until(lambda: terminal.raw.count(b"in the shell") > 1)
        terminal.type("fg\r")
        terminal.until("✓ done")
        terminal.until("1 run")
        terminal.type("q")
        terminal.until("$")
        terminal.type("exit\r")
        assert terminal.exit_code() == 0
        assert restored(terminal)
    (record,) = stored(tmp_path)
    assert record.status == "ok" and record.completion_tokens == 794
