"""Loads over TabbyAPI's API: the way back, changes laid over it, and what became of them."""

from __future__ import annotations

from typing import Any

from sparktui.core.sse import SseEvent
from sparktui.servers.tabbyload import LoadStep, changed, drops_draft, load_body, load_step, settings_after


def card(**parameters: Any) -> dict[str, Any]:
    shown = {
        "max_seq_len": 393_216, "cache_size": 393_216, "cache_mode": "FP16", "rope_scale": 1.0, "rope_alpha": 1.0, "max_batch_size": 1,
        "chunk_size": 2048, "prompt_template": "from_tokenizer_config", "prompt_template_content": "…", "use_vision": False, "draft": None,
    }  # fmt: skip
    return {"id": "qwen", "object": "model", "parameters": {**shown, **parameters}}


def test_the_way_back_names_all_that_the_card_shows_and_the_draft_it_does_not() -> None:
    assert load_body(card(), "MTP") == {
        "model_name": "qwen", "max_seq_len": 393_216, "cache_size": 393_216, "cache_mode": "FP16", "chunk_size": 2048, "max_batch_size": 1,
        "draft_model": {"draft_mode": "mtp"},
    }  # fmt: skip
    assert drops_draft(load_body(card(), None))
    other = load_body(card(draft={"id": "small"}, rope_alpha=2.0, prompt_template="chatml"), None)
    assert other["draft_model"] == {"draft_mode": "model", "draft_model_name": "small"}
    assert (other["rope_alpha"], other["prompt_template"]) == (2.0, "chatml")
    assert load_body({}, "MTP") == {}


def test_changes_keep_the_draft_unless_they_name_it() -> None:
    body = load_body(card(), "MTP")
    assert changed(body, {"cache_mode": "Q8"})["draft_model"] == {"draft_mode": "mtp"}
    assert changed(body, {"draft_model": {"draft_num_tokens": 3}})["draft_model"] == {"draft_mode": "mtp", "draft_num_tokens": 3}
    assert changed(body, {"draft_model": {"draft_mode": "disabled"}})["draft_model"] == {"draft_mode": "disabled"}
    assert "cache_size" not in changed(body, {"max_seq_len": 4096})
    assert body["cache_size"] == 393_216


def test_what_became_of_each_setting() -> None:
    asked = {"cache_mode": "8,8", "chunk_size": 4096, "max_batch_size": 4, "graph": True, "draft_model": {"draft_mode": "mtp", "n": 3}}
    found = settings_after(asked, card(), card(chunk_size=4096, max_batch_size=2), "MTP")
    assert {setting.name: setting.became for setting in found} == {
        "cache_mode": "ignored", "chunk_size": "confirmed", "max_batch_size": "not confirmed", "graph": "not confirmed",
        "draft_mode": "confirmed", "n": "not confirmed",
    }  # fmt: skip
    assert found[0].words() == "cache_mode 8,8: ignored (the server says FP16)"
    assert settings_after({"cache_mode": "8, 8"}, card(), card(cache_mode="Q8"), None)[0].became == "confirmed"


def test_events_of_a_load() -> None:
    step = load_step(SseEvent("", '{"model_type":"model","module":12,"modules":66,"status":"processing"}'))
    assert step == LoadStep(part="model", done=12, total=66)
    failed = load_step(SseEvent("", '{"error":{"message":"out of memory","trace":null}}'))
    assert failed is not None
    assert failed.error == "out of memory"
    assert load_step(SseEvent("", "not json")) is None
    assert load_step(SseEvent("", "{}")) is None
