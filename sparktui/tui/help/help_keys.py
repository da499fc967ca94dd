"""The keys page of the help, and docs/keys.md: both from the one key table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from sparktui.tui.drawing.prose import Piece, TextRow, columns_of, row, wrapped
from sparktui.tui.keys import HELP, HISTORY, KEYS, LANES, LIVE, LOG, REPLAY, RUN, TEXT, Group, Key, keys_of

Entry = tuple[str, str]

GROUPS: tuple[Group, ...] = ("Run", "Look", "Keep", "App")
SCREENS = {LIVE: "The live screen", HISTORY: "History, full screen", RUN: "One run", TEXT: "A run's text", LOG: "Server log, full screen",
           REPLAY: "Replay", LANES: "Two lanes", HELP: "Help"}  # fmt: skip
_LEFT, _TEXT_AT = 3, 13
_TWO_COLUMNS_FROM = 76


def entries_of(screen: str, group: Group, table: Iterable[Key] = KEYS) -> list[Entry]:
    """(key, what it does) of one group on one screen, each once."""
    found = dict.fromkeys((key.name, key.text) for key in keys_of(screen, table) if key.group == group)
    return list(found)


def own_entries(screen: str) -> list[Entry]:
    """What the table has for one screen alone."""
    return list(dict.fromkeys((key.name, key.text) for key in KEYS if key.screen == screen))


def key_rows(width: int, first: str = LIVE) -> tuple[list[TextRow], list[TextRow]]:
    """Keys by intent, two groups beside each other where there is room: those of the screen that help was called from and of the live one;
    then those of the other screens."""
    above = [row(), *(_own(first, width) if first != LIVE else []), *_grouped(width), row()]
    return above, [line for screen in SCREENS if screen not in (first, LIVE) for line in _own(screen, width)]


def _own(screen: str, width: int) -> list[TextRow]:
    return [row(Piece(_LEFT, SCREENS[screen], "text", True), anchor=screen), *_in_columns(own_entries(screen), width), row()]


def _grouped(width: int) -> list[TextRow]:
    room = _room(width)
    blocks = {group: [row(Piece(_LEFT, group, "text", True), anchor=group), *_lines(entries_of(LIVE, group), room)] for group in GROUPS}
    if width < _TWO_COLUMNS_FROM:
        return [line for group in GROUPS for line in (*blocks[group], row())][:-1]
    upper = columns_of([blocks["Run"], blocks["Look"]], (0, width // 2))
    return [*upper, row(), *columns_of([blocks["Keep"], blocks["App"]], (0, width // 2))]


def _in_columns(entries: Sequence[Entry], width: int) -> list[TextRow]:
    if width < _TWO_COLUMNS_FROM:
        return _lines(entries, _room(width))
    half = -(-len(entries) // 2)
    return columns_of([_lines(entries[:half], _room(width)), _lines(entries[half:], _room(width))], (0, width // 2))


def _room(width: int) -> int:
    """Cells for what a key does."""
    return (width // 2 if width >= _TWO_COLUMNS_FROM else width) - _TEXT_AT - 1


def _lines(entries: Sequence[Entry], room: int) -> list[TextRow]:
    """Each key with what it does, in as many rows as that takes."""
    rows = []
    for name, text in entries:
        first, *more = wrapped(text, room)
        rows.append(row(Piece(_LEFT, name, "accent", True), Piece(max(_TEXT_AT, _LEFT + cell_len(name) + 1), first)))
        rows += [row(Piece(_TEXT_AT, part)) for part in more]
    return rows


def keys_markdown() -> str:
    """docs/keys.md: every key of every screen."""
    parts = ["# Keys", "", "What works now stands in the footer; `ctrl+p` finds every command by name. Letters are case-sensitive.", ""]
    for screen, title in SCREENS.items():
        parts += [f"## {title}", ""]
        groups = [(group, entries_of(LIVE, group)) for group in GROUPS] if screen == LIVE else [("", own_entries(screen))]
        for group, entries in groups:
            parts += [f"**{group}**", ""] if group else []
            parts += ["| key | what it does |", "|---|---|", *(f"| `{name}` | {text} |" for name, text in entries), ""]
    return "\n".join(parts)
