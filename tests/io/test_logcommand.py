"""A command as a log source: both pipes, its own process group, gone with us, started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from sparktui.io.log.logcommand import CommandSource
from sparktui.io.log.logsource import TAIL_BYTES, Data, Status
from tests.io.sources import Running, running


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-u", "-c", textwrap.dedent(code)]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def gone(pid: int, seconds: float = 5.0) -> bool:
    limit = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < limit:
        time.sleep(0.01)
    return not alive(pid)


def pid_in(source: Running) -> int:
    assert source.until(lambda: b"\n" in source.text())
    return int(source.text().split()[1])


def test_c10_both_pipes_are_read_and_kept_apart() -> None:
    code = "import sys, time; print('out'); print('err', file=sys.stderr); time.sleep(60)"
    with running(CommandSource(python(code))) as source:
        assert source.until(lambda: source.text("") == b"out\n" and source.text("stderr") == b"err\n")


def test_c10_the_whole_group_ends_with_us() -> None:
    code = """
        import os, subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"])
        print("pid", child.pid, os.getpgid(0))
        time.sleep(60)
    """
    with running(CommandSource(python(code))) as source:
        pid = pid_in(source)
        assert alive(pid)
        assert int(source.text().split()[2]) != os.getpgid(0)
    assert gone(pid)


def test_c10_a_command_that_ignores_the_request_is_killed() -> None:
    code = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('pid', os.getpid()); time.sleep(60)"
    with running(CommandSource(python(code))) as source:
        pid = pid_in(source)
    assert gone(pid)


def test_c10_it_does_not_outlive_a_parent_that_is_killed() -> None:
    code = f"""
        import sys, threading
        sys.path[:0] = {sys.path!r}
        from sparktui.io.log.logcommand import CommandSource
        def put(item):
            print(item, flush=True)
        argv = [sys.executable, "-I", "-S", "-u", "-c", "import os, time; print('pid', os.getpid()); time.sleep(60)"]
        CommandSource(argv).run(put, threading.Event())
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        line = next(line for line in parent.stdout if "pid " in line)
        pid = int(line.split("pid ")[1].split("\\n")[0])
        assert alive(pid)
        parent.send_signal(signal.SIGKILL)
    assert gone(pid)


def test_c10_an_ended_command_is_started_again_and_says_why() -> None:
    code = "import sys; print('a line long enough to be told'); print('container is gone', file=sys.stderr); sys.exit(3)"
    with running(CommandSource(python(code), first_delay_s=0.02)) as source:
        assert source.until(lambda: source.states().count("restarting") >= 2)
    reasons = [item.reason for item in source.items if isinstance(item, Status) and item.state == "restarting"]
    assert "ended with 3: container is gone; again in 0.02 s" in reasons[0]
    assert "again in 0.04 s" in reasons[1]
    assert source.text("").count(b"told") == 1, "what was already seen is not told again after a restart"


def test_after_a_restart_only_new_lines_come(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"2026-11-30 first line of it\n")
    with running(CommandSource(["cat", str(log)], first_delay_s=0.02)) as source:
        assert source.until(lambda: b"first" in source.text())
        with log.open("ab") as file:
            file.write(b"2026-11-30 second line of it\n")
        assert source.until(lambda: b"second" in source.text())
    assert source.text() == b"2026-11-30 first line of it\n2026-11-30 second line of it\n"
    assert [item.live for item in source.items if isinstance(item, Data)][:1] == [False]


def test_a_long_history_is_cut_to_its_end() -> None:
    code = (
        "import time; print('\\n'.join(f'line {n:07}' for n in range(200_000)), flush=True); time.sleep(0.2); print('live'); time.sleep(60)"
    )
    with running(CommandSource(python(code))) as source:
        assert source.until(lambda: source.text().endswith(b"live\n"))
    data = [item for item in source.items if isinstance(item, Data)]
    assert len(data[0].data) <= 2 * TAIL_BYTES
    assert data[0].data.startswith(b"line 0")
    assert data[0].data.endswith(b"line 0199999\n")
    assert [item.live for item in data[:2]] == [False, True]


def test_an_unknown_command_ends_with_a_reason_and_no_restart() -> None:
    with running(CommandSource(["no-such-command-anywhere", "-f"])) as source:
        assert source.until(lambda: "ended" in source.states())
        source.thread.join(5)
        assert not source.thread.is_alive()
    last = source.items[-1]
    assert isinstance(last, Status)
    assert last.reason == "command not found: no-such-command-anywhere"


def test_there_is_no_shell(tmp_path: Path) -> None:
    with running(CommandSource(["echo", "$HOME; touch", str(tmp_path / "made"), "&&", "`id`"], first_delay_s=5)) as source:
        assert source.until(lambda: b"\n" in source.text())
    assert source.text().startswith(b"$HOME; touch ")
    assert not (tmp_path / "made").exists()


def test_the_shown_command_holds_no_key() -> None:
    shown = CommandSource(["curl", "-H", "Authorization: Bearer abcdef0123456789", "http://x/log"]).shown
    assert "abcdef0123456789" not in shown
