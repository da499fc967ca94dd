"""What the demo server was started with, and what its model is loaded with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparktui.demo.model import DRAFT_TOKENS

SOFTWARE = "sparktui-demo"
MODEL = "sparktui-demo-27B-exl3"
DEFAULT_CONTEXT = 393_216
LARGEST_CONTEXT = 1_048_576
NGRAM_TOKENS = 4


@dataclass(frozen=True, slots=True)
class Options:
    """`log`: file or folder. `speed` divides every time. Without `api_key` nobody needs a key. `newer_usage`: draft counters in `usage`.
    `scratch`: the log goes when the server does.
    """

    host: str = "127.0.0.1"
    port: int = 0
    log: Path | None = None
    speed: float = 1.0
    api_key: str = ""
    admin_key: str = ""
    seed: int = 1
    draft: bool = True
    newer_usage: bool = False
    max_seq_len: int = DEFAULT_CONTEXT
    max_batch_size: int = 1
    loading_s: float = 0.0
    ping_s: float = 15.0
    with_parent: bool = False
    scratch: bool = False

    def model_settings(self) -> ModelSettings:
        """What the model is loaded with at the start."""
        return ModelSettings(
            max_seq_len=self.max_seq_len,
            cache_size=self.max_seq_len,
            max_batch_size=self.max_batch_size,
            draft_mode="mtp" if self.draft else "disabled",
            draft_tokens=DRAFT_TOKENS if self.draft else 0,
        )


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A loaded model. `draft_tokens` 0 = no draft. Settings that change no figure here are kept in `others`, by name."""

    max_seq_len: int = DEFAULT_CONTEXT
    cache_size: int = DEFAULT_CONTEXT
    cache_mode: str = "FP16"
    chunk_size: int = 2048
    max_batch_size: int = 1
    draft_mode: str = "mtp"
    draft_tokens: int = DRAFT_TOKENS
    others: tuple[tuple[str, str], ...] = ()

    @property
    def drafts(self) -> bool:
        return self.draft_tokens > 0

    @property
    def variant(self) -> str:
        """One text for these settings: runs of one variant form a cell."""
        return repr(self)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings a load request leads to, with the log lines (level, text) that tell of them."""

    settings: ModelSettings
    lines: tuple[tuple[str, str], ...]


_PLAIN = ("model_name", "name", "max_seq_len", "cache_size", "cache_mode", "chunk_size", "max_batch_size", "draft_model", "skip_queue")


def settings_from_load(body: dict[str, Any]) -> Loaded:
    """What a body of POST /v1/model/load asks for; what it leaves out gets the model's default, the draft included.

    8-bit cache modes are ignored, as the reference found: the sparse layers keep 16 bits.
    """
    lines: list[tuple[str, str]] = []
    length = _context(body, lines)
    settings = ModelSettings(
        max_seq_len=length,
        cache_size=max(length, _number(body, "cache_size") or length),
        chunk_size=_number(body, "chunk_size") or 2048,
        max_batch_size=min(_number(body, "max_batch_size") or 1, 16),
        others=tuple(sorted((name, repr(value)) for name, value in body.items() if name not in _PLAIN and value is not None)),
    )
    draft = body.get("draft_model")
    settings, draft_lines = _with_draft(settings, draft if isinstance(draft, dict) else {})
    return Loaded(settings, (*draft_lines, *lines))


def _context(body: dict[str, Any], lines: list[tuple[str, str]]) -> int:
    asked = _number(body, "max_seq_len")
    if asked:
        length = min(asked, LARGEST_CONTEXT)
        lines.append(("INFO", f"Using configured max_seq_len: {length} tokens."))
    else:
        length = DEFAULT_CONTEXT
        lines.append(("INFO", f"Using default max_seq_len from model: {length} tokens."))
    cache = _number(body, "cache_size")
    if cache and cache < length:
        lines.append(("WARNING", f"The given max_seq_len ({length}) is larger than the cache size and will be limited to {cache} tokens."))
        return cache
    if cache:
        lines.append(("INFO", f"Using configured cache_size: {cache} tokens."))
    else:
        lines.append(("WARNING", f"cache_size is undefined. Defaulting to {length} tokens."))
    return length


def _with_draft(settings: ModelSettings, draft: dict[str, Any]) -> tuple[ModelSettings, tuple[tuple[str, str], ...]]:
    mode = str(draft.get("draft_mode") or ("model" if draft.get("draft_model_name") else "")).lower()
    tokens = min(_number(draft, "draft_num_tokens") or (NGRAM_TOKENS if mode == "ngram" else DRAFT_TOKENS), 16)
    others = tuple(sorted((name, repr(value)) for name, value in draft.items() if name not in ("draft_mode", "draft_num_tokens")))
    settings = replace(settings, others=(*settings.others, *others), draft_mode=mode, draft_tokens=tokens)
    if mode == "mtp":
        return settings, (("INFO", "Using main model MTP component for drafting"),)
    if mode == "ngram":
        return settings, (("INFO", f"Using n-gram drafting with minimum match length {_number(draft, 'ngram_match_min') or 2}"),)
    if mode == "model" and draft.get("draft_model_name"):
        return settings, (("INFO", f"Using draft model: {draft['draft_model_name']}"),)
    without = replace(settings, draft_mode="disabled", draft_tokens=0)
    if mode == "disabled":
        return without, ()
    return without, (("WARNING", "Draft model is disabled because a model name wasn't provided. Please check your config.yml!"),)


def _number(body: dict[str, Any], name: str) -> int | None:
    value = body.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
