"""Runs as JSON: one object with runs and cells, or one run a line. Every field is there; absent figures are null, never NaN."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from sparktui import __version__
from sparktui.core.records import SCHEMA, RunParams, RunRecord
from sparktui.core.stats.cells import SPREAD_FIELDS, Cell
from sparktui.io.store.recordjson import clean, plain
from sparktui.report.estimates import estimated_fields
from sparktui.report.together import at_once

_TEXTS = ("text", "reasoning", "tool_calls")


def run_object(record: RunRecord, *, timeline: bool = False, text: bool = True) -> dict[str, Any]:
    """One run as plain values: the record's fields, `estimated`, and the names of the estimated figures.

    Without `text` the prompt's and the answer's texts are left out; the timeline is only there where it is asked for.
    """
    values = plain(record if timeline else msgspec.structs.replace(record, timeline=None))
    values["params"] = _whole_params(record.params)
    if not timeline:
        del values["timeline"]
    if not text:
        for name in _TEXTS:
            del values[name]
        del values["prompt"]["text"]
    names = sorted(estimated_fields(record))
    return {**values, "estimated": bool(names), "estimated_fields": names}


def cell_object(cell: Cell) -> dict[str, Any]:
    """One cell as plain values: what its runs share, how many count, and median_*, min_*, max_*, n_* of every figure."""
    raw: dict[str, Any] = clean(msgspec.to_builtins(cell))
    spreads = {"median": raw.pop("medians"), "min": raw.pop("minima"), "max": raw.pop("maxima")}
    counts = raw.pop("counts")
    raw["model"] = raw["server"]["model"]
    raw["params"] = _whole_params(cell.params)
    raw["prompt"].pop("text", None)
    for name in SPREAD_FIELDS:
        raw.update({f"{word}_{name}": values.get(name) for word, values in spreads.items()})
        raw[f"n_{name}"] = counts.get(name, 0)
    return raw


def render_json(
    records: Sequence[RunRecord], cells: Iterable[Cell], *, exported_at: str, timeline: bool = False, text: bool = True,
    extra: Mapping[str, Any] | None = None,
) -> bytes:  # fmt: skip
    """`{"schema", "exported_at", "tool_version", "runs", "cells"}`, one run and one cell a line.

    Requests made at once add "rounds"; `extra` adds more.
    """
    head = {"schema": SCHEMA, "exported_at": exported_at, "tool_version": __version__}
    parts = [f"{_dumps(key)}: {_dumps(value)}" for key, value in head.items()]
    runs = [run_object(record, timeline=timeline, text=text) for record in records]
    parts += [_list("runs", runs), _list("cells", [cell_object(cell) for cell in cells])]
    if rounds := at_once(records):
        parts.append(_list("rounds", [clean(msgspec.to_builtins(found)) for found in rounds]))
    parts += [f"{_dumps(name)}: {_dumps(clean(value))}" for name, value in (extra or {}).items()]
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def render_jsonl(records: Sequence[RunRecord], *, timeline: bool = False, text: bool = True) -> bytes:
    """One run a line, each with its `schema`."""
    lines = [_dumps({"schema": SCHEMA, **run_object(record, timeline=timeline, text=text)}) for record in records]
    return "".join(line + "\n" for line in lines).encode()


def _whole_params(params: RunParams) -> dict[str, Any]:
    """Parameters with null for what was not sent, so that the names are always there."""
    values: dict[str, Any] = clean({"temperature": params.temperature, "max_tokens": params.max_tokens, "extra": params.extra})
    return values


def _list(name: str, values: Sequence[dict[str, Any]]) -> str:
    if not values:
        return f"{_dumps(name)}: []"
    return f"{_dumps(name)}: [\n" + ",\n".join(_dumps(value) for value in values) + "\n]"


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
