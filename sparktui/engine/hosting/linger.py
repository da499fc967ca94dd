"""The screens of a worker, one after the other: a lost one is waited for, and the one that comes back is told what it missed."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import socket
import threading
from collections.abc import Callable, Iterable, Iterator

import msgspec

from sparktui.core.commands import Attach, decode_command
from sparktui.core.events import AnyEvent, Hello, Reply
from sparktui.engine.hosting.outbox import Outbox
from sparktui.io.linesocket import Door, lines_of

_FIRST_LINE_S = 10.0

Since = Callable[[int], Iterable[AnyEvent]]


class Screens:
    """A sink (events and replies go to the screen that is there) and the source of a worker's commands (`lines`).

    `out` is the first screen's descriptor. `open_door` lets others in: they replace the one before, which may be lost without anybody
    having noticed.
    """

    def __init__(self, out: int) -> None:
        self._outbox = Outbox(out)
        # kept open to the end: a thread may still be about to use one
        self._sockets: list[socket.socket] = []
        self._commands: queue.SimpleQueue[tuple[int, bytes | None]] = queue.SimpleQueue()
        self._screen = 0
        self._swapping = threading.Lock()
        self._door: Door | None = None
        self._hello: Hello | None = None
        self._since: Since = lambda seq: ()

    def __call__(self, event: AnyEvent) -> None:
        self._outbox(event)

    def open_door(self, hello: Hello, since: Since) -> None:
        """Let screens come back to the session of `hello`; `since(seq)` are its events after `seq`. Raises StorageError."""
        self._hello, self._since = hello, since
        self._door = Door(hello.session)
        threading.Thread(target=self._let_in, name="door", daemon=True).start()

    def lines(self, first: Iterable[bytes], linger_s: float) -> Iterator[bytes]:
        """The commands of every screen; ends when the screen has been gone for `linger_s`."""
        self._read(0, first)
        away = False
        while True:
            try:
                screen, line = self._commands.get(timeout=linger_s if away else None)
            except queue.Empty:
                return
            if line is not None:
                away = away and screen != self._screen
                yield line
            elif self._door is None:
                return
            else:
                away = self._lost(screen) or away

    def close(self) -> None:
        """Write out what the screen has not got yet, and let nobody in any more."""
        if self._door is not None:
            self._door.close()
        self._outbox.close()
        for line in self._sockets:
            line.close()

    def _read(self, screen: int, lines: Iterable[bytes]) -> None:
        def read() -> None:
            for line in lines:
                self._commands.put((screen, line))
            self._commands.put((screen, None))

        threading.Thread(target=read, name=f"screen-{screen}", daemon=True).start()

    def _lost(self, screen: int) -> bool:
        """False when it had been replaced already."""
        assert self._door is not None
        with self._swapping:
            if screen != self._screen:
                return False
            self._outbox.abandon()
            _let_go_of_terminal()
            self._door.mark(True)
            return True

    def _let_in(self) -> None:
        assert self._door is not None
        while (line := self._door.accept()) is not None:
            threading.Thread(target=self._welcome, args=(line,), name="welcome", daemon=True).start()

    def _welcome(self, line: socket.socket) -> None:
        line.settimeout(_FIRST_LINE_S)
        try:
            first = _first_line(line)
            attach = decode_command(first)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            line.close()
            return
        if not isinstance(attach, Attach):
            line.close()
            return
        line.settimeout(None)
        self._swap(line, attach)

    def _swap(self, line: socket.socket, attach: Attach) -> None:
        swapped = threading.Event()
        hello, since = self._hello, self._since
        assert hello is not None and self._door is not None

        def missed() -> Iterator[AnyEvent]:
            # read only once every new event comes to this outbox too: what is in neither would be lost
            swapped.wait()
            yield hello
            yield Reply(id=attach.id, ok=True, data={"session": hello.session})
            yield from (event for event in since(attach.from_seq) if not isinstance(event, Hello))

        with self._swapping:
            before = self._outbox
            for gone in self._sockets:
                with contextlib.suppress(OSError):
                    gone.shutdown(socket.SHUT_RDWR)
            self._sockets.append(line)
            self._screen += 1
            self._outbox = Outbox(line.fileno(), before=missed)
            swapped.set()
            before.abandon()
            _let_go_of_terminal()
            self._door.mark(False)
            # it is there, even if it has nothing to say yet
            self._read(self._screen, itertools.chain([b""], lines_of(line.fileno())))


def _first_line(line: socket.socket) -> bytes:
    """Byte by byte, so that what follows it stays in the socket."""
    got = bytearray()
    while not got.endswith(b"\n"):
        block = line.recv(1)
        if not block or len(got) > 4096:
            raise OSError("no line")
        got += block
    return bytes(got)


def _let_go_of_terminal() -> None:
    """The line that stdin, stdout and stderr lead to is gone; what is printed there must not be an error."""
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for fd in (1, 2):
        os.dup2(null, fd)
    os.close(null)
