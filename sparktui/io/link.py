"""A worker process at the other end of two pipes: commands in, events out, whatever launches it (python, ssh, a wrapper)."""

from __future__ import annotations

import collections
import contextlib
import itertools
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from sparktui.core.commands import AnyCommand, Shutdown, encode_command
from sparktui.core.events import PROTOCOL, AnyEvent, Hello, Plan, PlanProgress, decode_event
from sparktui.core.scrub import scrub

_NOISE_LINES = 200
_STDERR_LINES = 40
_PUT_BACK_S = 900.0
_LOOK_S = 0.2


class WorkerLink:
    """Reads the events of a process made by `spawn`, in a thread. Never blocks the caller: `events()` hands over what has arrived.

    `state` is starting, up, mismatch (another protocol) or down; `reason` says why it went down, in its own words where it said any.
    `ids` number the commands; one counter for all links of a screen keeps a late reply from answering another's command.
    """

    def __init__(self, process: subprocess.Popen[bytes], ids: Iterator[int] | None = None) -> None:
        self._ids = ids if ids is not None else itertools.count(1)
        self._inbox: collections.deque[AnyEvent] = collections.deque()
        self._stderr: collections.deque[str] = collections.deque(maxlen=_STDERR_LINES)
        self._noise: collections.deque[str] = collections.deque(maxlen=_STDERR_LINES)
        self._write_lock = threading.Lock()
        self.hello: Hello | None = None
        self.state = "starting"
        self.reason = ""
        self.bytes_in = 0
        self._sweeps = False
        self._process = process
        self._stderr_thread = threading.Thread(target=self._read_stderr, name="worker-stderr", daemon=True)
        self._stderr_thread.start()
        self._events_thread = threading.Thread(target=self._read_events, name="worker-events", daemon=True)
        self._events_thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    @property
    def said(self) -> list[str]:
        """What it printed that was no event, for reading: stderr, then stdout. Complete once it is down."""
        return [scrub(line) for line in (*self._stderr, *self._noise) if line]

    def abandon(self) -> None:
        """End the process at this end now (the line is dead, or another takes its place); what it measures elsewhere goes on."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def events(self) -> list[AnyEvent]:
        """All events since the last call, in order."""
        batch = []
        while self._inbox:
            batch.append(self._inbox.popleft())
        return batch

    def send(self, command: AnyCommand) -> int:
        """Send `command`, return the id its reply will carry; 0 when the worker is gone (the reply will never come)."""
        number = next(self._ids)
        line = encode_command(msgspec.structs.replace(command, id=number)) + b"\n"
        pipe = self._process.stdin
        if pipe is None or self.state == "down":
            return 0
        with self._write_lock:
            try:
                pipe.write(line)
                pipe.flush()
            except (BrokenPipeError, ValueError):
                return 0
        return number

    @property
    def puts_back(self) -> bool:
        """A sweep is under way, which puts its server back before the worker ends."""
        return self._sweeps and self.state != "down"

    def close(self, grace_s: float = 3.0) -> int | None:
        """Ask it to save and end, then insist. Returns its exit code; no process is left behind.

        One that has a server to put back is given the time that a load takes.
        """
        self.send(Shutdown())
        self._close_stdin()
        code = self._ended(grace_s)
        self._events_thread.join(grace_s)
        return code

    def _ended(self, grace_s: float) -> int:
        given_up_s = time.monotonic() + _PUT_BACK_S
        while self.puts_back and time.monotonic() < given_up_s:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(_LOOK_S)
        insist: tuple[Callable[[], None], ...] = (self._process.terminate, self._process.kill)
        for harder in insist:
            try:
                return self._process.wait(grace_s)
            except subprocess.TimeoutExpired:
                harder()
        return self._process.wait()

    def _close_stdin(self) -> None:
        with self._write_lock, contextlib.suppress(BrokenPipeError):
            if self._process.stdin is not None:
                self._process.stdin.close()

    def _read_events(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        noise = self._noise
        for number, line in enumerate(stdout):
            self.bytes_in += len(line)
            event = self._decoded(line)
            if event is None:
                noise.append(line.decode("utf-8", "replace").strip())
                if self.hello is None and number > _NOISE_LINES:
                    break
                continue
            if isinstance(event, Hello):
                self.hello = event
                self.state = "up" if event.protocol == PROTOCOL else "mismatch"
            elif isinstance(event, Plan):
                self._sweeps = event.kind == "sweep"
            elif isinstance(event, PlanProgress) and event.finished:
                self._sweeps = False
            self._inbox.append(event)
        stdout.close()
        if self.hello is None and len(noise) == _STDERR_LINES:
            # whatever this is, it is no worker, and it would talk on for ever
            self._process.terminate()
        code = self._process.wait()
        self._close_stdin()
        self._stderr_thread.join(1.0)
        self.reason = self._why_down(code, list(noise))
        self.state = "down"

    def _decoded(self, line: bytes) -> AnyEvent | None:
        if not line.startswith(b"{"):
            return None
        try:
            return decode_event(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None

    def _why_down(self, code: int, noise: list[str]) -> str:
        said = [line for line in (*self._stderr, *noise) if line]
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}: {scrub(said[-1])}" if said else how

    def _read_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        with stderr:
            for line in stderr:
                self._stderr.append(line.decode("utf-8", "replace").strip())


def spawn(argv: Sequence[str], env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a worker with its three pipes. Raises OSError when there is no such program.

    In a session of its own: the terminal's Ctrl-C and hang-up go to the screen, which decides what the worker is told.
    """
    return subprocess.Popen(
        list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, start_new_session=True
    )
