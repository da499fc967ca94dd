"""Loading a model through TabbyAPI: what is loaded as a request that would load it again, and what became of what was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from sparktui.core.sse import SseEvent
from sparktui.servers.error_shapes import error_in
from sparktui.servers.lenient import count, mapping, read_json, word

LOAD_PATH = "/v1/model/load"
UNLOAD_PATH = "/v1/model/unload"
CARD_PATH = "/v1/model"
PERMISSION_PATH = "/v1/auth/permission"

_CARRIED = ("max_seq_len", "cache_size", "cache_mode", "chunk_size", "max_batch_size")
_ROPE = ("rope_scale", "rope_alpha")
_OWN_TEMPLATE = "from_tokenizer_config"
_DRAFT = "draft_model"
_SAME_MODE = {"8,8": "Q8", "6,6": "Q6", "4,4": "Q4", "16,16": "FP16"}

Became = Literal["confirmed", "not confirmed", "ignored"]


class Setting(Struct, frozen=True):
    """One setting that a load asked for, and what the server says of it afterwards (`says` None: nothing)."""

    name: str
    asked: Any
    says: Any
    became: Became

    def words(self) -> str:
        """ "cache_mode Q8: ignored (the server says FP16)"."""
        told = "the server does not tell" if self.says is None else f"the server says {self.says}"
        return f"{self.name} {self.asked}: {self.became}" + ("" if self.became == "confirmed" else f" ({told})")


class LoadStep(Struct, frozen=True):
    """One event of a load: module `done` of `total` of a part ("model", "draft", "vision"), or the error that ended it."""

    part: str = ""
    done: int = 0
    total: int = 0
    error: str = ""


def load_body(card: Mapping[str, Any], draft: str | None) -> dict[str, Any]:
    """The request that loads what `card` (GET /v1/model) shows. `draft`: "MTP" where that is known, which no card tells.

    {} where no model is loaded.
    """
    parameters = mapping(card.get("parameters"))
    model = word(card.get("id"))
    if not model:
        return {}
    body: dict[str, Any] = {"model_name": model}
    body |= {name: parameters[name] for name in _CARRIED if parameters.get(name) is not None}
    body |= {name: parameters[name] for name in _ROPE if parameters.get(name) not in (None, 1, 1.0)}
    template = word(parameters.get("prompt_template"))
    if template and template != _OWN_TEMPLATE:
        body["prompt_template"] = template
    draft_model = word(mapping(parameters.get("draft")).get("id"))
    if draft_model:
        body[_DRAFT] = {"draft_mode": "model", "draft_model_name": draft_model}
    elif draft == "MTP":
        body[_DRAFT] = {"draft_mode": "mtp"}
    return body


def changed(body: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """`body` with `changes` over it; draft settings are changed one by one. Another max_seq_len without a cache_size takes it along."""
    out = {**body, **changes}
    draft = {**mapping(body.get(_DRAFT)), **mapping(changes.get(_DRAFT))}
    if draft:
        out[_DRAFT] = draft
    if "max_seq_len" in changes and "cache_size" not in changes:
        out.pop("cache_size", None)
    return out


def drops_draft(body: Mapping[str, Any]) -> bool:
    """Whether this load says nothing of a draft: TabbyAPI then loads without one, MTP included."""
    return not mapping(body.get(_DRAFT))


def named_draft(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The same load for versions that refuse draft settings without a draft_model_name (422): an empty one. None where that is not it."""
    draft = mapping(body.get(_DRAFT))
    return {**body, _DRAFT: {"draft_model_name": "", **draft}} if draft and "draft_model_name" not in draft else None


def without_draft(body: Mapping[str, Any]) -> dict[str, Any]:
    """The same load without draft settings: a model without its draft is better than none."""
    return {name: value for name, value in body.items() if name != _DRAFT}


def settings_after(
    asked: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any], draft: str | None, draft_before: str | None = None
) -> list[Setting]:
    """What became of every setting asked for, by the cards before and after the load and the drafts the server showed then.

    Ignored: the server still says what it said before. Not confirmed: it says something else again, or nothing.
    """
    old, new = mapping(before.get("parameters")), mapping(after.get("parameters"))
    found = []
    for name, value in asked.items():
        if name == _DRAFT:
            found += [_draft_setting(key, wanted, draft, draft_before) for key, wanted in mapping(value).items()]
        elif name in ("model_name", "name"):
            found.append(_setting(name, value, word(before.get("id")), word(after.get("id"))))
        else:
            found.append(_setting(name, value, old.get(name), new.get(name)))
    return found


def load_step(event: SseEvent) -> LoadStep | None:
    """One event of the answer to a load; None for one that says nothing."""
    try:
        value = read_json(event.data)
    except ValueError:
        return None
    if (error := error_in(value)) is not None:
        return LoadStep(error=error.message)
    told = mapping(value)
    total = count(told.get("modules"))
    if not total:
        return None
    return LoadStep(part=word(told.get("model_type")), done=count(told.get("module")) or 0, total=total)


def _setting(name: str, asked: Any, before: Any, after: Any) -> Setting:
    if after is None:
        return Setting(name, asked, None, "not confirmed")
    if _plain(asked) == _plain(after):
        return Setting(name, asked, after, "confirmed")
    return Setting(name, asked, after, "ignored" if after == before else "not confirmed")


def _draft_setting(name: str, asked: Any, draft: str | None, before: str | None) -> Setting:
    mode = str(asked).lower() if name == "draft_mode" else None
    if mode is not None and draft is not None and mode == draft.lower():
        return Setting(name, asked, draft, "confirmed")
    if mode is not None and draft is None and before is not None and mode == before.lower():
        # it showed this draft before and shows none now: versions there are whose load takes no draft mode
        return Setting(name, asked, "no draft", "ignored")
    return Setting(name, asked, None, "not confirmed")


def _plain(value: Any) -> Any:
    text = value.replace(" ", "").upper() if isinstance(value, str) else value
    return _SAME_MODE.get(text, text) if isinstance(text, str) else text
