"""The keys page of the help, and docs/keys.md: both from the one key table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from sparktui.tui.keys import HELP, HISTORY, KEYS, LIVE, LOG, RUN, TEXT, Group, Key, keys_of
from sparktui.tui.prose import Piece, TextRow, columns_of, row

Entry = tuple[str, str]

GROUPS: tuple[Group, ...] = ("Run", "Look", "Keep", "App")
SCREENS = {LIVE: "The live screen", HISTORY: "History, full screen", RUN: "One run", TEXT: "A run's text", LOG: "Server log, full screen",
           HELP: "Help"}  # fmt: skip
_LEFT, _TEXT_AT = 3, 11
_TWO_COLUMNS_FROM = 76


def entries_of(screen: str, group: Group, table: Iterable[Key] = KEYS) -> list[Entry]:
    """(key, what it does) of one group on one screen, each once."""
    found = dict.fromkeys((key.name, key.text) for key in keys_of(screen, table) if key.group == group)
    return list(found)


def own_entries(screen: str) -> list[Entry]:
    """What a screen has besides the keys of the live one."""
    known = {entry for group in GROUPS for entry in entries_of(LIVE, group)}
    return [entry for group in GROUPS for entry in entries_of(screen, group) if entry not in known]


def key_rows(width: int, first: str = LIVE) -> list[TextRow]:
    """Keys by intent, two groups beside each other where there is room; those of the screen that help was called from come first."""
    rows: list[TextRow] = [row()]
    screens = [first, *(screen for screen in SCREENS if screen != first)]
    for screen in screens:
        if screen == LIVE:
            rows += _grouped(width)
        else:
            rows += [row(Piece(_LEFT, SCREENS[screen], "text", True), anchor=screen)]
            rows += _in_columns(own_entries(screen), width)
        rows.append(row())
    return rows


def _grouped(width: int) -> list[TextRow]:
    blocks = {group: [row(Piece(_LEFT, group, "text", True), anchor=group), *map(_entry, entries_of(LIVE, group))] for group in GROUPS}
    if width < _TWO_COLUMNS_FROM:
        return [line for group in GROUPS for line in (*blocks[group], row())][:-1]
    right = max(_TWO_COLUMNS_FROM // 2, width // 2)
    upper = columns_of([blocks["Run"], blocks["Look"]], (0, right))
    return [*upper, row(), *columns_of([blocks["Keep"], blocks["App"]], (0, right))]


def _in_columns(entries: Sequence[Entry], width: int) -> list[TextRow]:
    lines = [_entry(entry) for entry in entries]
    if width < _TWO_COLUMNS_FROM:
        return lines
    half = -(-len(lines) // 2)
    return columns_of([lines[:half], lines[half:]], (0, max(_TWO_COLUMNS_FROM // 2, width // 2)))


def _entry(entry: Entry) -> TextRow:
    name, text = entry
    return row(Piece(_LEFT, name, "accent", True), Piece(max(_TEXT_AT, _LEFT + cell_len(name) + 1), text))


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
