"""The filter and sort language of the history, as SQL.

Words separated by spaces must all hold; `-` before one turns it round; quotes keep spaces together.

    lighthouse "no draft"        the words anywhere in label, prompt, model, note or warnings
    label:shipped  label:draft*  label, prompt, status, kind, bench, id: the whole value, `*` stands for anything
    model:qwen  server:5000      model, server, note: a part of the value
    T:0  T:unset                 the temperature sent
    flag:not_idle                a flag of the run
    warmup:no  simulated:yes     yes or no
    since:2026-11-30  since:7d  until:2026-12-01T12:00   local time; also today, 12h
    client:>50  ttft:<1  tokens:700..800                 any figure: more than, less than, between
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from sparktui.core.nearest import did_you_mean
from sparktui.errors import UsageError
from sparktui.io.store.rows import LIGHT_COLUMNS

FIGURES = {
    "ttft": "ttft_s", "client": "client_tok_s", "net": "client_tok_s_net", "server_tok": "server_tok_s", "prefill": "prefill_tok_s",
    "tokens": "completion_tokens", "chunk": "tokens_per_chunk", "draft": "draft_accepted", "acceptance": "acceptance_rate",
    "step": "tokens_per_step", "time": "decode_s", "total": "total_s",
}  # fmt: skip
_PLAIN = ("decode_s", "chunks", "burstiness", "draft_proposed", "step_ms", "speedup", "prompt_tokens")
_NUMERIC = {**FIGURES, **{name: name for name in (*FIGURES.values(), *_PLAIN)}}
_SORT_NAMES = {
    **{name: name for name in LIGHT_COLUMNS}, **FIGURES,
    "when": "started_s", "started_at": "started_s", "t": "temperature", "id": "id", "server": "base_url", "bench": "bench_id",
}  # fmt: skip
_WHOLE = {"label": "label", "prompt": "prompt", "status": "status", "kind": "kind", "bench": "bench_id", "id": "id"}
_PARTS = {"model": "model", "server": "base_url", "note": "note"}
_TOKEN = re.compile(r'(-?)((?:[A-Za-z_]+:)?)(?:"([^"]*)"?|(\S+))')
_AGO = re.compile(r"(\d+)([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class Clause(Struct, frozen=True):
    """SQL for a WHERE, and its values."""

    sql: str
    values: tuple[object, ...] = ()


def parse_filter(text: str, now: datetime) -> Clause:
    """The WHERE clause of a filter; an empty one holds for all. Relative times count back from `now`.

    Raises UsageError for an unknown key or a value that does not fit its key.
    """
    clauses = [_clause(match, now) for match in _TOKEN.finditer(text)]
    if not clauses:
        return Clause("1")
    return Clause(" AND ".join(clause.sql for clause in clauses), tuple(value for clause in clauses for value in clause.values))


def parse_sort(text: str) -> str:
    """The ORDER BY of a sort such as "-started_at" or "label,-client_tok_s" ("-" = largest first). Absent figures come last.

    Raises UsageError for a column that does not exist.
    """
    terms = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name = part.lstrip("-+")
        column = _SORT_NAMES.get(name.lower())
        if column is None:
            raise UsageError(f"Runs cannot be sorted by {name!r}.", hint=_hint(name, _SORT_NAMES))
        direction = "DESC" if part.startswith("-") else "ASC"
        nullable = "NOT NULL" not in LIGHT_COLUMNS.get(column, "NOT NULL")
        collation = " COLLATE NOCASE" if LIGHT_COLUMNS.get(column, "").startswith("TEXT") else ""
        terms += [f"{column} IS NULL"] * nullable + [f"{column}{collation} {direction}"]
    newest = "ASC" if text.strip() in ("started_at", "when", "started_s") else "DESC"
    return ", ".join([*terms, f"rowid {newest}"])


def _clause(match: re.Match[str], now: datetime) -> Clause:
    minus, key, quoted, bare = match.groups()
    value = bare if quoted is None else quoted
    name = key.rstrip(":")
    clause = _keyed(name, value, now) if name else _word(value)
    return Clause(f"NOT ifnull({clause.sql}, 0)", clause.values) if minus else clause


def _word(value: str) -> Clause:
    return Clause("instr(words, ?) > 0", (value.casefold(),))


def _keyed(name: str, value: str, now: datetime) -> Clause:
    key = name.lower()
    if key in _WHOLE:
        return _whole(_WHOLE[key], value)
    if key in _PARTS:
        return Clause(f"instr(lower({_PARTS[key]}), ?) > 0", (value.lower(),))
    if key in _NUMERIC:
        return _figure(_NUMERIC[key], name, value)
    if key in _SPECIAL:
        return _SPECIAL[key](name, value, now)
    names = (*_WHOLE, *_PARTS, *FIGURES, *_SPECIAL)
    raise UsageError(f"The filter has no key {name!r}.", hint=f'{_hint(name, names)} Quote it to look for the text: "{name}:{value}"')


def _whole(column: str, value: str) -> Clause:
    if "*" not in value:
        return Clause(f"{column} = ? COLLATE NOCASE", (value,))
    pattern = value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_").replace("*", "%")
    return Clause(f"{column} LIKE ? ESCAPE '\\'", (pattern,))


def _figure(column: str, name: str, value: str) -> Clause:
    low, dots, high = value.partition("..")
    try:
        if dots:
            return Clause(f"{column} BETWEEN ? AND ?", (float(low), float(high)))
        operator = re.match(r"[<>]=?|=?", value)
        sign = operator[0] if operator else ""
        return Clause(f"{column} {sign or '='} ?", (float(value[len(sign) :]),))
    except ValueError as error:
        raise UsageError(f"{name}:{value} is not a number.", hint=f"Write {name}:>50, {name}:<1 or {name}:10..20.") from error


def _temperature(name: str, value: str, now: datetime) -> Clause:
    if value in ("unset", "default", "none"):
        return Clause("temperature IS NULL")
    return _figure("temperature", name, value)


def _flag(name: str, value: str, now: datetime) -> Clause:
    return Clause("instr(flags, ?) > 0", (f" {value.lower()} ",))


def _yes_no(column: str) -> Callable[[str, str, datetime], Clause]:
    def clause(name: str, value: str, now: datetime) -> Clause:
        if value.lower() not in ("yes", "no", "true", "false", "1", "0"):
            raise UsageError(f"{name}:{value} is neither yes nor no.", hint=f"Write {name}:yes or {name}:no.")
        return Clause(f"{column} = ?", (int(value.lower() in ("yes", "true", "1")),))

    return clause


def _since(name: str, value: str, now: datetime) -> Clause:
    return Clause(f"started_s {'>=' if name.lower() == 'since' else '<'} ?", (_moment(name, value, now).timestamp(),))


def _moment(name: str, value: str, now: datetime) -> datetime:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if value.lower() in ("today", "yesterday"):
        return midnight - timedelta(days=value.lower() == "yesterday")
    if ago := _AGO.fullmatch(value):
        return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise UsageError(f"{name}:{value} is not a date.", hint=f"Write {name}:2026-11-30, {name}:2026-11-30T12:00, {name}:7d.") from error
    return moment if moment.tzinfo else moment.astimezone()


_SPECIAL: dict[str, Callable[[str, str, datetime], Clause]] = {
    "t": _temperature,
    "temperature": _temperature,
    "flag": _flag,
    "warmup": _yes_no("warmup"),
    "simulated": _yes_no("simulated"),
    "since": _since,
    "until": _since,
}


def _hint(name: str, names: Iterable[str]) -> str:
    known = sorted(set(names))
    return did_you_mean(name, known) or f"Known are {', '.join(known)}."


def is_filter(text: str) -> bool:
    """True where `text` holds a known key, as in `label:shipped`."""
    known = {*_WHOLE, *_PARTS, *_NUMERIC, *_SPECIAL}
    return any(match[2].rstrip(":").lower() in known for match in _TOKEN.finditer(text) if match[2])
