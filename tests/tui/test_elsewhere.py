"""The whole program with its worker at the other end of a line, on a terminal."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.perf.line import Line, SlowTerminal
from tests.tui.test_remote import FAKE, ROOT, gone

AT_ONCE = Line(rate=1e9, delay_s=0)


class There:
    """A folder that is HOST's home, with a config of its own and sparktui on the PATH."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        command = folder / ".local" / "bin" / "sparktui"
        command.parent.mkdir(parents=True)
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m sparktui "$@"\n')
        command.chmod(0o755)
        self.config = folder / "there.yml"
        self.config.write_text("bench: {prompts: [short], label: spark}\nprompts: {short: {text: Tell it.}}\ndefaults: {max_tokens: 333}\n")
        self.env = {
            **os.environ, "SPARKTUI_SSH": FAKE, "PATH": "/usr/bin:/bin", "HOME": str(folder), "TERM": "xterm-256color",
            "SPARKTUI_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(ROOT),
        }  # fmt: skip

    def screen(self, *options: str) -> SlowTerminal:
        words = ["--ssh", "spark", "--demo", "--demo-speed", "3", "--config", str(self.config), *options]
        return SlowTerminal(words, self.env, AT_ONCE)

    def processes(self, word: str) -> list[psutil.Process]:
        """Those of this home with `word` in their command line."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("HOME") == str(self.home) and word in process.cmdline():
                    found.append(process)
            except (psutil.Error, OSError):
                continue
        return found


@pytest.fixture
def there(tmp_path: Path) -> Iterator[There]:
    made = There(tmp_path)
    yield made
    for process in [*made.processes("worker"), *made.processes("sparktui.demo.server")]:
        gone(process.pid)


def test_a_screen_over_ssh_has_the_settings_of_the_host_and_comes_back_after_a_loss(there: There) -> None:
    screen = there.screen()
    try:
        screen.wait(lambda text: "idle" in text and "max 333" in text)
        screen.press("s")
        screen.wait(lambda text: "Merrow Sound" in text)
        for process in there.processes(str(ROOT / "tests" / "fake_ssh.py")):
            process.kill()
        screen.wait(lambda text: "The line to spark is lost" in text)
        screen.wait(lambda text: "Back at spark" in text)
        screen.wait(lambda text: "✓ done" in text and "333" in text)
    finally:
        screen.close()


def test_a_lost_screen_is_followed_by_one_that_offers_its_session(there: There) -> None:
    screen = there.screen()
    screen.wait(lambda text: "idle" in text)
    screen.press("s")
    screen.wait(lambda text: "Merrow Sound" in text)
    screen.close(signal.SIGKILL)
    again = there.screen()
    try:
        again.wait(lambda text: "go on with it" in text)
        again.press("g")
        again.wait(lambda text: "Back at spark" in text)
        again.wait(lambda text: "✓ done" in text and "/ 333" in text)
    finally:
        again.close()


def test_a_fixed_rate_is_taken_from_the_option_and_wrong_words_are_refused(there: There) -> None:
    from sparktui.cli.parser import Parser
    from sparktui.cli.screen import add_arguments
    from sparktui.errors import UsageError

    parser = Parser("sparktui")
    add_arguments(parser)
    assert parser.parse_args(["--fps", "4"]).fps == 4 and parser.parse_args(["--fps", "auto"]).fps == "auto"
    assert parser.parse_args(["--worker-command", "a 'b c'"]).worker_command == ["a", "b c"]
    for wrong in (["--fps", "0"], ["--fps", "31"], ["--worker-command", "'a"], ["--worker-command", ""], ["--linger", "-1"]):
        with pytest.raises(UsageError):
            parser.parse_args(wrong)
