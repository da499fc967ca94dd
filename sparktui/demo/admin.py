"""Loading and unloading the model over the API, with TabbyAPI's progress events."""

from __future__ import annotations

import asyncio

from sparktui.demo import wire
from sparktui.demo.call import InvalidCallError, json_object
from sparktui.demo.http import Connection, Request
from sparktui.demo.machine import Machine
from sparktui.demo.settings import MODEL, ModelSettings, settings_from_load

MODULES = 66
LOAD_S = 8.0
UNLOAD_S = 0.6
_ENGINE = "1.4.1"
_FOLDER = "/srv/models"


async def load(machine: Machine, request: Request, connection: Connection) -> None:
    """POST /v1/model/load. A load of what is loaded is refused: unload first."""
    try:
        body = json_object(request.body)
    except InvalidCallError as wrong:
        connection.reply(422, wire.compact({"detail": wrong.detail}))
        return
    name = body.get("model_name") or body.get("name")
    if name != MODEL:
        told = "Could not find the model path for load. Check model name or config.yml?"
        machine.log.error(f"Sent to request: {told}")
        connection.reply(400, wire.compact({"detail": told}))
        return
    connection.start(200, wire.STREAM_HEADERS)
    if machine.settings is not None or machine.loading:
        told = f'Model "{MODEL}" is already loaded! Aborting.'
        machine.log.error(f"Sent to request: {told}")
        await connection.send(wire.error_event(told))
    else:
        loaded = settings_from_load(body)
        log_load(machine, loaded.settings, loaded.lines)
        machine.loading = True
        try:
            await _progress(machine, connection)
        finally:
            machine.loading = False
        machine.load(loaded.settings)
        machine.log.info("Model successfully loaded.")
    connection.end()


async def unload(machine: Machine, request: Request, connection: Connection) -> None:
    """POST /v1/model/unload. Running requests end with an error."""
    if machine.jobs:
        machine.log.warning("Immediately terminating all jobs. Clients will have their requests cancelled.\n")
    machine.load(None)
    await asyncio.sleep(UNLOAD_S / machine.speed)
    machine.log.info("Model unloaded.")
    connection.reply(200, b"null")


def log_load(machine: Machine, settings: ModelSettings, lines: tuple[tuple[str, str], ...]) -> None:
    """The records of a load, up to the model's folder. `lines`: what the settings gave cause to say."""
    machine.log.info(f"exllamav3 version: {_ENGINE} (simulated)")
    for level, text in lines:
        machine.log.write(level, text)
    machine.log.info('Using template "from_tokenizer_config" for chat completions.')
    machine.log.info(f"Loading model: {_FOLDER}/{MODEL}")


async def _progress(machine: Machine, connection: Connection) -> None:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    for module in range(1, MODULES + 1):
        await asyncio.sleep(max(0.0, begun + LOAD_S / machine.speed * module / MODULES - loop.time()))
        await connection.send(_event(module, "processing"))
    await connection.send(_event(MODULES, "finished"))


def _event(module: int, status: str) -> bytes:
    return wire.event(wire.compact({"model_type": "model", "module": module, "modules": MODULES, "status": status}))
