"""Inside tmux, with the TERM that it sets: the path of most who watch over ssh."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TMUX = shutil.which("tmux")
pytestmark = pytest.mark.skipif(TMUX is None, reason="no tmux on this machine")


class Tmux:
    """A tmux server of its own with one window, 120 × 36."""

    def __init__(self, folder: Path, command: str, term: str) -> None:
        (folder / "tmux.conf").write_text(f"set -g default-terminal {term}\n")
        self._socket = str(folder / "tmux")
        env = {name: value for name, value in os.environ.items() if name not in ("COLORTERM", "TMUX")}
        env |= {"SPARKTUI_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "HOME": str(folder)}
        start = ["-f", str(folder / "tmux.conf"), "-u", "new-session", "-d", "-x", "120", "-y", "36", "-c", str(folder), command]
        subprocess.run([str(TMUX), "-S", self._socket, *start], check=True, env=env)

    def do(self, *words: str) -> str:
        return subprocess.run([str(TMUX), "-S", self._socket, *words], capture_output=True, text=True, check=False).stdout

    def wait(self, wanted: Callable[[str], bool]) -> str:
        deadline = time.monotonic() + 20
        while not wanted(text := self.do("capture-pane", "-p")) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert wanted(text), text
        return text


@pytest.mark.parametrize("term", ["screen-256color", "tmux-256color"])
def test_a_story_streams_in_tmux_and_the_shell_comes_back_as_it_was(tmp_path: Path, term: str) -> None:
    tmux = Tmux(tmp_path, f"echo before; {sys.executable} -m sparktui --demo --demo-speed 4; echo left $?; exec cat", term)
    try:
        tmux.wait(lambda text: "Press a key and watch" in text and "idle" in text)
        tmux.do("send-keys", "s")
        text = tmux.wait(lambda text: "fog came in" in text and "generating" in text)
        assert "Server log" in text and "▌Meter" in text
        coloured = tmux.do("capture-pane", "-p", "-e")
        assert "38;5;" in coloured and "38;2;" not in coloured
        tmux.wait(lambda text: "✓ done" in text)
        tmux.do("send-keys", "q")
        text = tmux.wait(lambda text: "left 0" in text)
        assert text.splitlines()[0] == "before" and "Stream" not in text
    finally:
        tmux.do("kill-server")
