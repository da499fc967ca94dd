"""Loading and unloading the server's model with the admin key, told as it goes."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from sparktui.core.events import Server
from sparktui.core.sse import SseParser
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.server.probe import ask
from sparktui.engine.server.target import Target
from sparktui.errors import RunFailedError, SparkError, UnreachableError, UsageError
from sparktui.io.http.client import Client
from sparktui.io.http.failures import StoppedError
from sparktui.io.http.stream import Stream
from sparktui.servers.base import Answer, Get, Post
from sparktui.servers.error_shapes import error_in
from sparktui.servers.lenient import mapping, read_json
from sparktui.servers.tabbyload import CARD_PATH, LOAD_PATH, PERMISSION_PATH, UNLOAD_PATH, LoadStep, load_step, named_draft

_TELL_EVERY_S = 2.0
_CARD_S = 10.0
_UNLOAD_S = 120.0
_SILENT_S = 900.0


class ModelLoader:
    """Loads models on the server of `target`; `admin` is a client that holds the admin key. Progress leaves as Server events.

    `about`: what the load is for, said before each word of its progress.
    """

    def __init__(self, target: Target, admin: Client, emitter: Emitter) -> None:
        self._target = target
        self._admin = admin
        self._emitter = emitter
        self.about = ""

    def close(self) -> None:
        """Close the admin's connections."""
        self._admin.close()

    def card(self) -> dict[str, Any]:
        """What the server says is loaded; {} where nothing is. Raises UnreachableError."""
        answer = self._target.client.get(Get(path=CARD_PATH, timeout_s=_CARD_S, with_key=True))
        if answer.status == 503:
            return {}
        if answer.status != 200:
            title = "The server does not say what it has loaded."
            raise UnreachableError(title, detail=_said(answer), hint="`sparktui doctor` tells more.")
        return mapping(_json(answer.body))

    def check_permission(self) -> None:
        """Raise UsageError where the server says that the key is not an admin's, before anything is changed."""
        if not self._admin.key_header:
            return
        answer = self._admin.get(Get(path=PERMISSION_PATH, timeout_s=_CARD_S, with_key=True))
        permission = mapping(_json(answer.body)).get("permission")
        if answer.status in (401, 403) or (answer.status == 200 and permission == "api"):
            detail = "It is a key for prompts." if answer.status == 200 else _said(answer)
            raise UsageError("server.admin_key is not this server's admin key.", detail=detail, hint="api_tokens.yml of TabbyAPI holds it.")

    def load(self, body: dict[str, Any], cancel: Cancel) -> None:
        """Unload what is loaded, load what `body` says, and learn anew what the server has.

        Raises RunFailedError where the server refuses or fails, UnreachableError, StoppedError.
        """
        self._unload(cancel)
        self._tell(f"loading {body.get('model_name', 'the model')}")
        refused = self._ask_to_load(body, cancel)
        if refused is not None and refused.status == 422 and (named := named_draft(body)) is not None:
            refused = self._ask_to_load(named, cancel)
        if refused is not None:
            raise _refused("load the model", refused)
        info = ask(self._target.adapter.describe(self._target.client.base.shown, self._target.seen), self._target.client, within_s=_CARD_S)
        draft = info.draft
        if draft is None and mapping(body.get("draft_model")).get("draft_mode") == "disabled":
            # no card says that there is none; it was just loaded so
            draft = "none"
        self._target.info = msgspec.structs.replace(info, draft=draft, tls_verified=self._target.client.tls_verified)
        self._emitter.emit(Server(state="ready", info=self._target.info))

    def _ask_to_load(self, body: dict[str, Any], cancel: Cancel) -> Answer | None:
        """Follow one load to its end; the answer of a server that would not begin it."""
        with self._admin.stream(msgspec.json.encode(body), cancel, url=self._admin.base.at(LOAD_PATH)) as stream:
            if stream.status != 200:
                return Answer(status=stream.status, body=stream.body())
            self._follow(stream)
        return None

    def _unload(self, cancel: Cancel) -> None:
        self._tell("unloading the model")
        answer = self._admin.post_json(Post(path=UNLOAD_PATH, body={}, timeout_s=_UNLOAD_S), cancel)
        if cancel.is_set():
            raise StoppedError()
        if answer.status == 0:
            raise UnreachableError("The server did not answer when its model was to be unloaded.", detail=answer.failure)
        # 503 and the like: there was nothing to unload, which is what is wanted
        if answer.status in (401, 403, 404, 405):
            raise _refused("unload the model", answer)

    def _follow(self, stream: Stream) -> None:
        stream.limit_silence(_SILENT_S)
        parser = SseParser()
        told_s = time.monotonic()
        last = LoadStep()
        for _, data in stream.reads():
            for event in parser.feed(data):
                step = load_step(event)
                if step is None:
                    continue
                if step.error:
                    raise RunFailedError("The server could not load the model.", detail=step.error)
                last = step
            if last.total and time.monotonic() - told_s >= _TELL_EVERY_S:
                told_s = time.monotonic()
                self._tell(f"loading: {last.part or 'model'}, module {last.done} of {last.total}")
        parser.close()
        if (error := error_in(_json(parser.unframed))) is not None:
            raise RunFailedError("The server could not load the model.", detail=error.message)
        if not last.total or last.done < last.total:
            raise RunFailedError("The server ended the load before it was done.", hint="Its log says why.")

    def _tell(self, cause: str) -> None:
        said = f"{self.about}: {cause}" if self.about else cause
        self._emitter.emit(Server(state="loading", info=self._target.info, cause=said))


def _json(body: bytes) -> Any:
    try:
        return read_json(body)
    except ValueError:
        return None


def _said(answer: Answer) -> str:
    error = error_in(_json(answer.body))
    return error.message if error is not None else answer.failure or f"HTTP {answer.status}"


def _refused(what: str, answer: Answer) -> SparkError:
    if answer.status in (401, 403):
        hint = "Set server.admin_key (SPARKTUI_ADMIN_KEY) to the admin key of its api_tokens.yml."
        return UnreachableError(f"The server does not let us {what}.", detail=_said(answer), hint=hint)
    return RunFailedError(f"The server would not {what}.", detail=_said(answer))
