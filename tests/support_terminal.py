"""The real program on a pseudo-terminal, its screen read through a terminal emulator."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psutil
import pyte

ROOT = Path(__file__).parent.parent
_READ_BYTES = 65536
_FRAME_LOOKS = 10


class _Emulator(pyte.Screen):
    """Takes the private form of the graphics sequence (modifyOtherKeys), which pyte's own screen trips over."""

    def select_graphic_rendition(self, *attrs: int, private: bool = False) -> None:
        if not private:
            super().select_graphic_rendition(*attrs)


class Terminal:
    """A program and the terminal it is on. Everything waits with a bound and raises AssertionError with the screen at its end."""

    def __init__(self, argv: list[str], env: Mapping[str, str], *, size: tuple[int, int], cwd: Path) -> None:
        self.raw = b""
        self._lock = threading.Lock()
        self._emulator = _Emulator(*size)
        self._stream = pyte.ByteStream(self._emulator)
        self._master, slave = os.openpty()
        self._set_size(size)
        self.flags_before = termios.tcgetattr(slave)
        self._slave = slave
        self.process = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, env=dict(env), cwd=cwd, start_new_session=True,
            preexec_fn=_own_terminal,  # noqa: PLW1509 - one call into the system, before anything of the program runs
        )  # fmt: skip
        self._known: list[psutil.Process] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def type(self, keys: str | bytes) -> None:
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    def resize(self, size: tuple[int, int]) -> None:
        """Tell program and emulator of another size; the program's terminal sends it SIGWINCH."""
        with self._lock:
            self._emulator.resize(lines=size[1], columns=size[0])
        self._set_size(size)

    def lines(self) -> list[str]:
        with self._lock:
            return [line.rstrip() for line in self._emulator.display]

    def text(self) -> str:
        return "\n".join(self.lines())

    def cursor_hidden(self) -> bool:
        with self._lock:
            return bool(self._emulator.cursor.hidden)

    def until(self, what: str | Callable[[], bool], within_s: float = 20.0) -> str:
        """Wait until the screen has the text, or the condition holds; the screen then, at the end of a frame where frames have gaps."""
        holds = what if callable(what) else lambda: what in self.text()
        deadline = time.monotonic() + within_s
        while not holds():
            assert time.monotonic() < deadline, f"never came: {what}\n{self.text()}"
            time.sleep(0.02)
        before = -1
        for _ in range(_FRAME_LOOKS):
            if before == len(self.raw):
                break
            before = len(self.raw)
            time.sleep(0.03)
        return self.text()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def family(self) -> list[psutil.Process]:
        """The program's children and theirs, now."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self._known = psutil.Process(self.process.pid).children(recursive=True) or self._known
        return self._known

    def hang_up(self) -> None:
        """The line is lost: the terminal's other end closes."""
        self.family()
        self._close_slave()
        os.close(self._master)
        self._master = -1

    def exit_code(self, within_s: float = 10.0) -> int:
        """The program's own exit code (negative: the signal it died of)."""
        try:
            code = self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still there after {within_s} s\n{self.text()}") from None
        if self._master >= 0:
            self.flags_after = termios.tcgetattr(self._slave)
            self._close_slave()
            self._reader.join(5)
        return code

    def all_gone(self, within_s: float = 5.0) -> bool:
        """Whether none of the processes last seen by `family` is left."""
        return not psutil.wait_procs(self._known, timeout=within_s)[1]

    def close(self) -> None:
        """End what is left of it."""
        left = self.family()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(5)
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self._close_slave()
        self._reader.join(5)
        if self._master >= 0:
            os.close(self._master)

    def _close_slave(self) -> None:
        if self._slave >= 0:
            os.close(self._slave)
            self._slave = -1

    def _set_size(self, size: tuple[int, int]) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, _READ_BYTES)
            except OSError:
                return
            if not data:
                return
            self.raw += data
            with self._lock:
                self._stream.feed(data)


def _own_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@contextlib.contextmanager
def program(
    home: Path,
    *arguments: str,
    size: tuple[int, int] = (120, 36),
    env: Mapping[str, str | None] | None = None,
    before: str = "",
    argv: list[str] | None = None,
) -> Iterator[Terminal]:
    """`sparktui ARGUMENTS` with its data in `home`. `env` changes its environment; None takes a variable away.

    `before` is Python run in the program's own process first. `argv` is another program instead.
    """
    home.mkdir(parents=True, exist_ok=True)
    settings: dict[str, str | None] = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("SPARKTUI_", "TEXTUAL"))},
        "TERM": "xterm-256color", "COLORTERM": None, "NO_COLOR": None, "LANG": "C.UTF-8", "LC_ALL": None, "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"), "SPARKTUI_DATA_DIR": str(home / "data"), "PYTHONPATH": str(ROOT), **(env or {}),
    }  # fmt: skip
    program = [sys.executable, "-m", "sparktui", *arguments]
    if before:
        code = f"{before}\nimport sys\nfrom sparktui.cli.main import main\nsys.exit(main())"
        program = [sys.executable, "-c", code, *arguments]
    kept = {name: value for name, value in settings.items() if value is not None}
    terminal = Terminal(argv or program, kept, size=size, cwd=home)
    try:
        yield terminal
    finally:
        terminal.close()
