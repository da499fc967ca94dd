"""A sweep's command: argv as it is, no shell; it starts or switches the server and then ends."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence

from sparktui.core.scrub import mask_secrets
from sparktui.errors import RunFailedError, UsageError
from sparktui.io.http.exchange import Stop
from sparktui.io.http.failures import StoppedError

_POLL_S = 0.05
_LAST_WORDS = 1_000


def run_command(argv: Sequence[str], *, within_s: float, stop: Stop) -> None:
    """Run it and wait for its end. What it starts in the background lives on: its output goes to a file nobody keeps.

    Raises UsageError where it cannot be started, RunFailedError where it fails or has not ended in `within_s`, StoppedError.
    """
    shown = mask_secrets(shlex.join(argv))
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(list(argv), stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        except OSError as error:
            title = f"The command {shown} cannot be started: {error.strerror or error}."
            raise UsageError(title, hint="Check `sweep` of the config.") from None
        until = time.monotonic() + within_s
        while process.poll() is None:
            if stop.is_set():
                _end(process)
                raise StoppedError()
            if time.monotonic() > until:
                _end(process)
                hint = "It must end once the server is started in the background; health_wait_s says how long it may take."
                raise RunFailedError(f"The command {shown} has not ended after {within_s:g} s.", hint=hint)
            time.sleep(_POLL_S)
        if process.returncode:
            said.seek(max(0, said.seek(0, os.SEEK_END) - _LAST_WORDS))
            words = mask_secrets(said.read().decode("utf-8", "replace").strip())
            raise RunFailedError(f"The command {shown} ended with {process.returncode}.", detail=words)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command alone, not what it had put into the background with a session of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(2.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
