"""The demo server as a child process that never outlives whoever started it."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sparktui.demo.scratch import Scratch, remove_forgotten
from sparktui.errors import UnreachableError

_START_S = 20.0
_STOP_S = 2.0
_KEY_ENV = "SPARKTUI_DEMO_API_KEY"
_ADMIN_ENV = "SPARKTUI_DEMO_ADMIN_KEY"


class DemoProcess:
    """A running demo server. Use as a context manager, or call `stop()`; it also ends when this process does."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log_path: Path, scratch: Scratch | None) -> None:
        self._process = process
        self._scratch = scratch
        self.port = port
        self.pid = process.pid
        self.base_url = f"http://127.0.0.1:{port}"
        self.log_path = log_path

    @classmethod
    def start(
        cls,
        speed: float = 1.0,
        *,
        log: Path | None = None,
        draft: bool = True,
        seed: int = 1,
        newer_usage: bool = False,
        api_key: str = "",
        admin_key: str = "",
        extra: Sequence[str] = (),
    ) -> DemoProcess:
        """Start one on a free port of 127.0.0.1 and wait until it listens. Without `log` its log lies in a folder that goes with it.

        Raises UnreachableError when it does not start.
        """
        remove_forgotten()
        scratch = Scratch() if log is None else None
        place = scratch.path / "server.log" if scratch is not None else log
        words = ["--port", "0", "--with-parent", "--speed", f"{speed:g}", "--log", str(place), "--seed", str(seed)]
        words += ["--scratch"] * (scratch is not None)
        words += ["--no-draft"] * (not draft) + ["--newer-usage"] * newer_usage
        keys = {name: key for name, key in ((_KEY_ENV, api_key), (_ADMIN_ENV, admin_key)) if key}
        words += ["--api-key-env", _KEY_ENV] * bool(api_key) + ["--admin-key-env", _ADMIN_ENV] * bool(admin_key)
        try:
            process = _spawn([*words, *extra], keys)
            return cls._greeted(process, scratch)
        except BaseException:
            if scratch is not None:
                scratch.remove()
            raise

    @classmethod
    def _greeted(cls, process: subprocess.Popen[bytes], scratch: Scratch | None) -> DemoProcess:
        try:
            line = json.loads(_first_line(process))
            return cls(process, line["port"], Path(line["log"]), scratch)
        except (ValueError, KeyError, TypeError):
            process.kill()
            said = process.communicate()[1].decode("utf-8", "replace").strip()
            raise UnreachableError(
                "The demo server did not start.", detail=said[-2_000:], hint="Start it alone to see why: sparktui serve-demo"
            ) from None
        except BaseException:
            process.kill()
            process.communicate()
            raise

    def __enter__(self) -> DemoProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End it and remove its scratch log. Safe to call again."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        if self._scratch is not None:
            self._scratch.remove()


def _spawn(words: Sequence[str], keys: dict[str, str]) -> subprocess.Popen[bytes]:
    """The package is found where this one was, whatever the current folder holds; keys go through the environment."""
    root = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join(path for path in (root, os.environ.get("PYTHONPATH", "")) if path)
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "sparktui.demo.server", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **keys, "PYTHONPATH": paths},
            start_new_session=True,
        )
    except OSError as error:
        raise UnreachableError(f"The demo server cannot be started: {error.strerror}.") from error


def _first_line(process: subprocess.Popen[bytes]) -> bytes:
    """What it says once it listens; b"" when it ends instead, or says nothing in 20 s."""
    assert process.stdout is not None
    deadline = time.monotonic() + _START_S
    line = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not line.endswith(b"\n"):
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return b""
            found = os.read(process.stdout.fileno(), 4096)
            if not found:
                return b""
            line += found
    return line


