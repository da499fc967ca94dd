"""Loads against servers that take no draft mode over the API, refuse settings, or break off: what is tried, and what is said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from sparktui.core.config import Config, ServerConfig, VariantConfig
from sparktui.core.plans import PromptSpec
from sparktui.core.sweepplan import SweepPlan
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.server.target import open_target
from sparktui.engine.sweeping.variants import ServerSwitch
from sparktui.errors import RunFailedError
from tests.support_server import Peer, Received, serving

EVENT = b'data: {"model_type":"model","module":%d,"modules":2,"status":"processing"}\n\n'
CHUNK = VariantConfig(name="chunk", load={"chunk_size": 4096})


@dataclass
class Tabby:
    """A TabbyAPI that answers what a sweep asks. `takes(body)`: the HTTP status of a load, and whether it drafts afterwards."""

    takes: Callable[[dict[str, Any]], tuple[int, bool]]
    chunk_size: int = 2048
    drafts: bool = True
    breaks_off: bool = False
    loads: list[dict[str, Any]] = field(default_factory=list)

    def script(self, request: Received, peer: Peer) -> None:
        card = {"id": "qwen", "object": "model", "owned_by": "tabbyAPI"}
        parameters = {"max_seq_len": 4096, "cache_size": 4096, "cache_mode": "FP16", "max_batch_size": 1, "chunk_size": self.chunk_size}
        admin = request.headers.get("authorization") == "Bearer admin"
        answers: dict[str, Any] = {
            "/.well-known/serviceinfo": {"version": 0.1, "software": {"name": "TabbyAPI"}},
            "/v1/model": {**card, "parameters": {**parameters, "draft": None}},
            "/v1/models": {"object": "list", "data": [card]},
            "/v1/model/draft/list": {"object": "list", "data": [card] if self.drafts else []},
            "/v1/auth/permission": {"permission": "admin" if admin else "api"},
            "/v1/model/unload": None,
        }
        if request.path == "/v1/model/load":
            self._load(json.loads(request.body), peer)
        elif request.path in answers:
            peer.answer(200, json.dumps(answers[request.path]).encode())
        else:
            peer.answer(404, b'{"detail":"Not Found"}')

    def _load(self, body: dict[str, Any], peer: Peer) -> None:
        self.loads.append(body)
        status, self.drafts = self.takes(body)
        if status != 200:
            peer.answer(status, b'{"detail":[{"msg":"Field required","loc":["body","draft_model","draft_model_name"]}]}')
            return
        self.chunk_size = body.get("chunk_size", 2048)
        peer.head()
        peer.chunk(EVENT % 1)
        if not self.breaks_off:
            peer.chunk(EVENT % 2)
        peer.end()


@contextmanager
def switched(tabby: Tabby) -> Iterator[tuple[ServerSwitch, list[str]]]:
    said: list[str] = []
    with serving(tabby.script) as server:
        settings = ServerConfig(base_url=server.url, api_key="user", admin_key="admin")
        with open_target(Config(server=settings)) as target:
            assert (target.info.kind, target.info.draft) == ("tabbyapi", "MTP")
            plan = SweepPlan(prompt=PromptSpec(name="x", text="x"), variants=(CHUNK,))
            switch = ServerSwitch(target, settings, plan, Emitter([]), pause=None, say=said.append)
            switch.prepare()
            try:
                yield switch, said
            finally:
                switch.close()


def needs_a_name(body: dict[str, Any]) -> tuple[int, bool]:
    return (200, body["draft_model"].get("draft_mode") == "mtp") if "draft_model_name" in body.get("draft_model", {}) else (422, False)


def test_versions_that_want_a_draft_model_name_get_an_empty_one() -> None:
    tabby = Tabby(needs_a_name)
    with switched(tabby) as (switch, said):
        switch.to(CHUNK, Cancel())
        assert tabby.loads[-1]["draft_model"] == {"draft_model_name": "", "draft_mode": "mtp"}
        assert switch.back()
    assert said[-1] == "The server is back in its own configuration."


def test_a_load_that_loses_the_draft_is_told_there_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with switched(Tabby(lambda body: (200, False))) as (switch, said):
        switch.to(CHUNK, Cancel())
        assert [(s.name, s.became) for s in switch.settings["chunk"]] == [("chunk_size", "confirmed"), ("draft_mode", "ignored")]
        assert "chunk: draft_mode mtp: ignored (the server says no draft)" in said
        assert not switch.back()
        assert switch.changed
    assert "The server is back, but not in every point: draft_mode mtp: ignored (the server says no draft)." in said
    assert said[-1] == "A restart of the server brings its own configuration back."


def test_where_no_draft_setting_is_taken_the_model_is_loaded_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparktui.engine.sweeping.variants._BACK_WAITS_S", (0.0,))
    tabby = Tabby(lambda body: (422 if "draft_model" in body else 200, False))
    with switched(tabby) as (switch, said):
        with pytest.raises(RunFailedError, match="would not load the model"):
            switch.to(CHUNK, Cancel())
        assert not switch.back()
    assert "draft_model" not in tabby.loads[-1]
    assert "The model is loaded again, but WITHOUT its draft." in said
    assert "sparktui sweep --restore" in said[-1]


def test_a_load_that_breaks_off_is_a_failure() -> None:
    tabby = Tabby(lambda body: (200, True), breaks_off=True)
    with switched(tabby) as (switch, said):
        with pytest.raises(RunFailedError, match="ended the load before it was done"):
            switch.to(CHUNK, Cancel())
        tabby.breaks_off = False
        assert switch.back()
    assert said[-1] == "The server is back in its own configuration."
