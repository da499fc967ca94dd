"""The demo server's process: `python -m sparktui.demo.server`. Its first line on stdout is JSON: port, pid, log."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial

from sparktui.demo.admin import log_load
from sparktui.demo.http import Connection, Request
from sparktui.demo.log import ServerLog
from sparktui.demo.machine import Machine
from sparktui.demo.options import add_arguments, options_from
from sparktui.demo.routes import handle
from sparktui.demo.settings import Options
from sparktui.errors import SparkError, StorageError, UsageError

_PARENT_CHECK_S = 2.0
# what TabbyAPI does not have is asked every second and would drown its log
_OWN = "/demo/"


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until a signal, or with --with-parent until stdin ends. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="sparktui.demo.server", description="A simulated TabbyAPI server.", allow_abbrev=False)
    add_arguments(parser)
    try:
        return serve(options_from(parser.parse_args(argv)))
    except SparkError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def serve(options: Options, announce: Callable[[dict[str, object]], None] | None = None) -> int:
    """Serve with these options; `announce` gets {port, pid, log} once it listens (default: printed as a JSON line).

    Raises UsageError where the address cannot be used, StorageError where the log cannot be written.
    """
    with asyncio.Runner() as runner:
        runner.run(_serve(options, announce or _print_line))
    return 0


def _print_line(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)


async def _serve(options: Options, announce: Callable[[dict[str, object]], None]) -> None:
    loop = asyncio.get_running_loop()
    try:
        log = ServerLog(options.log)
    except OSError as error:
        raise StorageError(f"The log {options.log} cannot be written: {error.strerror}.", hint="Give another path with --log.") from error
    machine = Machine(options, log)

    def on_status(request: Request, status: int) -> None:
        if not request.path.startswith(_OWN):
            log.info(f'{request.peer} - "{request.method} {request.path} HTTP/1.1" {status}')

    try:
        server = await loop.create_server(lambda: Connection(partial(handle, machine), on_status), options.host, options.port)
    except OSError as error:
        log.close()
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise UsageError(f"Port {options.port} of {options.host} cannot be used: {reason}.", hint="--port 0 takes a free one.") from error
    port = server.sockets[0].getsockname()[1]
    stopping = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stopping.set)
    if options.with_parent:
        _end_with_parent(loop, stopping)
    _begin(machine, port)
    announce({"port": port, "pid": os.getpid(), "log": str(log.path.resolve()) if log.path else None})
    gc.collect()
    gc.freeze()
    await stopping.wait()
    log.info("Shutting down")
    server.close()
    await _end_all(machine)
    machine.close()
    if options.scratch:
        log.remove()


def _begin(machine: Machine, port: int) -> None:
    """The records of a start, and the wait for a model that is still loading."""
    options, log = machine.options, machine.log
    log.info("sparktui demo server: every figure in this log is simulated.")
    settings = options.model_settings()
    log_load(machine, settings, (("INFO", "Using main model MTP component for drafting"),) if settings.drafts else ())
    if options.loading_s:
        machine.loading = True
        asyncio.get_running_loop().call_later(options.loading_s / options.speed, _loaded, machine)
    else:
        _loaded(machine)
    if options.api_key:
        log.info("Your API key is: (not shown)")
    else:
        log.warning("Authentication is disabled: any key, or none, will do.")
    log.info(f"Started server process [{os.getpid()}]")
    log.info(f"Uvicorn running on http://{options.host}:{port} (simulated, Press CTRL+C to quit)")


def _loaded(machine: Machine) -> None:
    machine.loading = False
    machine.log.info("Model successfully loaded.")


def _end_with_parent(loop: asyncio.AbstractEventLoop, stopping: asyncio.Event) -> None:
    """Stop when stdin ends: a pipe ends with whoever holds its other end, however that one dies.

    A change of the parent's number covers a pipe that something else inherited. The kernel's parent-death signal would fire
    when the starting *thread* ends, so it is not used.
    """

    def watch() -> None:
        while os.read(0, 4096):
            pass
        loop.call_soon_threadsafe(stopping.set)

    def check(parent: int) -> None:
        if os.getppid() != parent:
            stopping.set()
        else:
            loop.call_later(_PARENT_CHECK_S, check, parent)

    threading.Thread(target=watch, name="parent", daemon=True).start()
    check(os.getppid())


async def _end_all(machine: Machine) -> None:
    """Running requests end with an error event; what they still log is written."""
    tasks = [job.task for job in machine.jobs]
    for job in machine.jobs:
        job.abort()
    if tasks:
        await asyncio.wait(tasks, timeout=0.5)


if __name__ == "__main__":
    raise SystemExit(main())
