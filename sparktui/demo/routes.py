"""Every endpoint of the demo server.

TabbyAPI's: /v1/chat/completions, /v1/completions, /v1/models, /v1/model (+ /list, /draft/list, /load, /unload), /v1/token/encode,
/v1/auth/permission, /props, /health, /.well-known/serviceinfo. As Open WebUI's stand-in: /api/chat/completions, /api/models.
Its own: /demo/memory (the scripted memory of the simulated machine, bytes) and /demo/state (speed, settings, requests in flight).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from typing import Any

from sparktui import __version__
from sparktui.demo import admin, memory, tokens, wire
from sparktui.demo.call import InvalidCallError, json_object, texts_of
from sparktui.demo.generate import complete
from sparktui.demo.http import Connection, Request
from sparktui.demo.keys import KeyRefusedError, require_admin, require_api
from sparktui.demo.machine import Machine
from sparktui.demo.refusals import LOADING, NO_MODEL
from sparktui.demo.settings import MODEL, SOFTWARE

Route = Callable[[Machine, Request, Connection], Coroutine[Any, Any, None]]

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
)


async def handle(machine: Machine, request: Request, connection: Connection) -> None:
    """Answer one request: find its route, check its key."""
    methods = _ROUTES.get(request.path)
    if methods is None:
        connection.reply(404, wire.compact({"detail": "Not Found"}))
        return
    if request.method not in methods:
        connection.reply(405, wire.compact({"detail": "Method Not Allowed"}))
        return
    route, access = methods[request.method]
    try:
        if access == "admin":
            require_admin(machine.options, request.headers)
        elif access == "api":
            require_api(machine.options, request.headers)
    except KeyRefusedError as refused:
        connection.reply(401, wire.compact({"detail": str(refused)}))
        return
    await route(machine, request, connection)


def _answer(connection: Connection, value: Any) -> None:
    connection.reply(200, wire.compact(value))


async def _service_info(machine: Machine, request: Request, connection: Connection) -> None:
    software = {"name": SOFTWARE, "version": __version__, "simulated": True, "speed": machine.speed}
    api = {"openai": {"name": "OpenAI API", "relative_url": "/v1", "version": 1}}
    _answer(connection, {"version": 0.1, "software": software, "api": api})


async def _health(machine: Machine, request: Request, connection: Connection) -> None:
    issues = [
        {"time": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(at))}.{int(at * 1e6) % 1_000_000:06d}Z", "description": what}
        for at, what in machine.issues
    ]
    status = "unhealthy" if issues else "healthy"
    connection.reply(503 if issues else 200, wire.compact({"status": status, "issues": issues}))


def _without_model(machine: Machine, connection: Connection) -> bool:
    """Answer 503 where no model is loaded."""
    if machine.settings is not None and not machine.loading:
        return False
    told = LOADING if machine.loading else NO_MODEL
    machine.log.error(f"Sent to request: {told}")
    connection.reply(503, wire.compact({"detail": told}))
    return True


async def _model(machine: Machine, request: Request, connection: Connection) -> None:
    settings = machine.settings
    if _without_model(machine, connection) or settings is None:
        return
    parameters = {
        "max_seq_len": settings.max_seq_len,
        "cache_size": settings.cache_size,
        "cache_mode": settings.cache_mode,
        "rope_scale": 1.0,
        "rope_alpha": 1.0,
        "max_batch_size": settings.max_batch_size,
        "chunk_size": settings.chunk_size,
        "prompt_template": "from_tokenizer_config",
        "prompt_template_content": TEMPLATE,
        "use_vision": False,
        "draft": None,
    }
    _answer(connection, wire.model_card(MODEL, parameters))


async def _props(machine: Machine, request: Request, connection: Connection) -> None:
    settings = machine.settings
    if _without_model(machine, connection) or settings is None:
        return
    context = {"n_ctx": settings.max_seq_len}
    _answer(connection, {"total_slots": settings.max_batch_size, "chat_template": TEMPLATE, "default_generation_settings": context})


async def _models(machine: Machine, request: Request, connection: Connection) -> None:
    """The loaded model; an admin sees every folder there is, which is the same one."""
    is_admin = require_api(machine.options, request.headers) == "admin"
    shown = is_admin or (machine.settings is not None and not machine.loading)
    _answer(connection, {"object": "list", "data": [wire.model_card(MODEL)] if shown else []})


async def _draft_models(machine: Machine, request: Request, connection: Connection) -> None:
    """Names the main model while it drafts with a part of its own."""
    settings = machine.settings
    drafts = settings is not None and settings.draft_mode == "mtp" and not machine.loading
    _answer(connection, {"object": "list", "data": [wire.model_card(MODEL)] if drafts else []})


async def _gateway_models(machine: Machine, request: Request, connection: Connection) -> None:
    """The list as a web interface in front of the server shows it."""
    card = wire.model_card(MODEL)
    entry = {"id": MODEL, "name": MODEL, "object": "model", "created": card["created"], "owned_by": SOFTWARE, "urlIdx": 0}
    _answer(connection, {"data": [entry] if machine.settings is not None else []})


async def _permission(machine: Machine, request: Request, connection: Connection) -> None:
    _answer(connection, {"permission": require_api(machine.options, request.headers)})


async def _encode(machine: Machine, request: Request, connection: Connection) -> None:
    """POST /v1/token/encode: `text` is a string, or chat messages, which count as the prompt of a chat."""
    if _without_model(machine, connection):
        return
    try:
        text = json_object(request.body).get("text")
    except InvalidCallError as wrong:
        connection.reply(422, wire.compact({"detail": wrong.detail}))
        return
    messages = [text] if isinstance(text, str) else texts_of(text)
    if messages is None:
        problem = {"type": "string_type", "loc": ["body", "text"], "msg": "Input should be a valid string", "input": text}
        connection.reply(422, wire.compact({"detail": [problem]}))
        return
    found = tokens.encode(messages[0]) if isinstance(text, str) else tokens.encode_messages(messages)
    _answer(connection, {"tokens": found, "length": len(found)})


async def _memory(machine: Machine, request: Request, connection: Connection) -> None:
    used = machine.used_bytes()
    _answer(connection, {"simulated": True, "total": memory.TOTAL_BYTES, "used": used, "available": memory.TOTAL_BYTES - used})


async def _state(machine: Machine, request: Request, connection: Connection) -> None:
    settings = machine.settings
    loaded = None
    if settings is not None:
        loaded = {"draft_mode": settings.draft_mode, "draft_num_tokens": settings.draft_tokens, "max_batch_size": settings.max_batch_size}
        loaded |= {"max_seq_len": settings.max_seq_len, "pool_bytes": memory.pool_bytes(settings.max_seq_len, draft=settings.drafts)}
    waiting = len(machine.jobs) - machine.running
    state = {"simulated": True, "speed": machine.speed, "model": MODEL, "loaded": loaded, "loading": machine.loading}
    _answer(connection, {**state, "running": machine.running, "waiting": waiting})


_ROUTES: dict[str, dict[str, tuple[Route, str]]] = {
    "/.well-known/serviceinfo": {"GET": (_service_info, "")},
    "/health": {"GET": (_health, "")},
    "/props": {"GET": (_props, "api")},
    "/v1/model": {"GET": (_model, "api")},
    "/v1/models": {"GET": (_models, "api")},
    "/v1/model/list": {"GET": (_models, "api")},
    "/v1/model/draft/list": {"GET": (_draft_models, "api")},
    "/v1/model/load": {"POST": (admin.load, "admin")},
    "/v1/model/unload": {"POST": (admin.unload, "admin")},
    "/v1/auth/permission": {"GET": (_permission, "api")},
    "/v1/token/encode": {"POST": (_encode, "api")},
    "/v1/chat/completions": {"POST": (complete, "api")},
    "/v1/completions": {"POST": (complete, "api")},
    "/api/chat/completions": {"POST": (complete, "api")},
    "/api/models": {"GET": (_gateway_models, "api")},
    "/demo/memory": {"GET": (_memory, "")},
    "/demo/state": {"GET": (_state, "")},
}
