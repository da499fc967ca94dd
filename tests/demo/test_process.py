from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sparktui.demo.options import add_arguments, options_from
from sparktui.demo.process import DemoProcess
from sparktui.demo.server import main
from sparktui.errors import UnreachableError, UsageError
from tests.demo.client import ask, get

OWNER = """
import sys, time
from sparktui.demo.process import DemoProcess
demo = DemoProcess.start(speed=10)
print(demo.pid, demo.log_path, flush=True)
time.sleep(60)
"""


def is_running(pid: int) -> bool:
    """Whether a process that is not our child runs; one that has ended and waits to be reaped does not count."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_for_end(pid: int, within_s: float = 3.0) -> None:
    deadline = time.monotonic() + within_s
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} still runs"
        time.sleep(0.01)


def test_it_starts_quickly_and_stops_with_its_log() -> None:
    begun = time.perf_counter()
    demo = DemoProcess.start()
    assert time.perf_counter() - begun < 3
    assert demo.running
    assert get(demo, "/health").status == 200
    assert demo.base_url == f"http://127.0.0.1:{demo.port}"
    assert demo.log_path.exists()
    assert (demo.log_path.stat().st_mode & 0o777) == 0o600
    demo.stop()
    demo.stop()
    assert not demo.running
    assert not demo.log_path.exists()


def test_a_log_of_our_own_stays(tmp_path: Path) -> None:
    with DemoProcess.start(log=tmp_path / "tabby.log") as demo:
        assert demo.log_path == tmp_path / "tabby.log"
    assert "Shutting down" in demo.log_path.read_text()


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_it_dies_with_its_parent(ending: signal.Signals) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    words = owner.stdout.readline().split()
    pid, log = int(words[0]), Path(words[1])
    assert is_running(pid)
    assert log.exists()
    owner.send_signal(ending)
    owner.wait()
    owner.stdout.close()
    wait_for_end(pid)
    assert not log.parent.exists()


def test_the_log_of_a_scratch_server_goes_and_its_neighbours_stay(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "other.txt").write_text("mine")
    log = folder / "x.log"
    words = [sys.executable, "-m", "sparktui.demo.server", "--log", str(log), "--scratch"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    assert log.exists()
    process.terminate()
    assert process.wait(5) == 0
    process.stdout.close()
    assert [path.name for path in folder.iterdir()] == ["other.txt"]


def test_it_stops_in_the_middle_of_an_answer() -> None:
    demo = DemoProcess.start(speed=1)
    answers = []
    asking = threading.Thread(target=lambda: answers.append(ask(demo, model="demo+stall=0")))
    asking.start()
    time.sleep(0.1)
    begun = time.perf_counter()
    demo.stop()
    asking.join(5)
    assert time.perf_counter() - begun < 2.5
    assert answers[0].events[-1]["error"]["message"].startswith("Chat completion aborted")


def test_keys_are_not_on_its_command_line() -> None:
    with DemoProcess.start(api_key="hush-hush", admin_key="tell-nobody") as demo:
        assert get(demo, "/v1/model").status == 401
        words = Path(f"/proc/{demo.pid}/cmdline").read_bytes() if Path("/proc").exists() else b""
        assert b"hush" not in words
        assert b"tell" not in words


def test_a_start_that_fails_says_why(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("")
    with pytest.raises(UnreachableError) as caught:
        DemoProcess.start(log=folder / "tabby.log")
    assert "cannot be written" in caught.value.detail
    assert caught.value.hint


def test_its_first_line_is_json(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    process = subprocess.Popen([sys.executable, "-m", "sparktui.demo.server", "--log", str(log)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = json.loads(process.stdout.readline())
    assert line == {"port": line["port"], "pid": process.pid, "log": str(log)}
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(5) == 0
    process.stdout.close()


@pytest.mark.parametrize("words", [["--host", "0.0.0.0"], ["--speed", "0"], ["--speed", "nan"], ["--port", "1.5"], ["--ctx", "9"]])
def test_bad_options_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert words[0] in capsys.readouterr().err


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with DemoProcess.start() as demo:
        assert main(["--port", str(demo.port)]) == 2
    assert "cannot be used" in capsys.readouterr().err


def test_a_key_variable_that_is_not_set() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    with pytest.raises(UsageError, match="NOPE"):
        options_from(parser.parse_args(["--api-key-env", "NOPE"]), {})
    found = options_from(parser.parse_args(["--api-key-env", "K", "--speed", "2", "--no-draft"]), {"K": "v"})
    assert (found.api_key, found.speed, found.draft) == ("v", 2.0, False)
