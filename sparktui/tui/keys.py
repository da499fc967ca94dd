"""The one key table: bindings, footer, help, palette and README are made from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

import msgspec
from msgspec import Struct
from textual.binding import Binding

Group = Literal["Run", "Look", "Keep", "App"]


class Key(Struct, frozen=True, kw_only=True):
    """One key on one kind of screen. `word` is its footer word ("" = not in the footer), `text` what help and palette say.

    `when`: facts that must hold (`!fact`: must not) for the key to work and to be listed. `at_end`: at the right of the footer.
    `screen`: the screen that has it, "" for every one.
    """

    keys: str
    action: str
    text: str
    word: str = ""
    shown: str = ""
    group: Group = "App"
    when: tuple[str, ...] = ()
    screen: str = ""
    at_end: bool = False

    @property
    def name(self) -> str:
        """The key as the footer and the help print it."""
        return self.shown or self.keys.split(",", maxsplit=1)[0]

    def works(self, facts: Collection[str]) -> bool:
        return all(fact[1:] not in facts if fact.startswith("!") else fact in facts for fact in self.when)


LIVE, HISTORY, RUN, TEXT, LOG, HELP, READ = "live", "history", "run", "text", "log", "help", "read"
REPLAY, LANES = "replay", "lanes"
PAGES = (HISTORY, RUN, TEXT, LOG, HELP, READ)



def _back(screen: str) -> Key:
    return Key(keys="escape", action="back", word="back", text="back", shown="esc", screen=screen)


def _history() -> tuple[Key, ...]:
    """The keys of the history screen, in the order of its footer."""
    return (
        Key(keys="m", action="medians", word="runs / cells", text="every run, or cells with their medians", group="Look", screen=HISTORY),
        Key(keys="a", action="mark", word="mark", text="mark cells: A, then B …", group="Keep", when=("rows",), screen=HISTORY),
        Key(keys="d", action="compare", word="compare", text="compare the marked cells", group="Keep", when=("cells",), screen=HISTORY),
        Key(keys="x", action="explain", text="explain the marked cells, or the one under the cursor", group="Look", when=("rows",),
            screen=HISTORY),
        Key(keys="enter", action="open", word="open", text="open a cell's runs, or a run", group="Look", when=("rows",), screen=HISTORY),
        Key(keys="p", action="replay", word="replay", text="replay; two marked: side by side", group="Look", when=("runs",),
            screen=HISTORY),
        Key(keys="P", action="replay_baseline", text="replay beside its baseline", group="Look", when=("runs",), screen=HISTORY),
        Key(keys="slash", action="filter", word="filter", text="filter", shown="/", group="Look", screen=HISTORY),
        Key(keys="o", action="sort", word="sort", text="sort by the next column", group="Look", when=("rows",), screen=HISTORY),
        Key(keys="O", action="turn", text="turn the order round", group="Look", when=("rows",), screen=HISTORY),
        Key(keys="L", action="label", word="label", text="label", group="Keep", when=("rows", "edit"), screen=HISTORY),
        Key(keys="e", action="export", word="export", text="export", group="Keep", screen=HISTORY),
        Key(keys="delete", action="delete", text="delete", shown="del", group="Keep", when=("rows", "edit"), screen=HISTORY),
        Key(keys="u", action="unmark", text="take all marks off", group="Keep", when=("marks",), screen=HISTORY),
        Key(keys="z", action="zoom", text="zoom the focused panel", group="Look", when=("cells",), screen=HISTORY),
        Key(keys="tab", action="next_panel", text="next panel", group="Look", when=("cells",), screen=HISTORY),
        Key(keys="shift+tab", action="last_panel", text="panel before", group="Look", when=("cells",), screen=HISTORY),
        _back(HISTORY),
    )  # fmt: skip


def _pages() -> tuple[Key, ...]:
    """The keys of the other screens that stand over the live one, in the order of their footers."""
    return (
        Key(keys="up,down,left,right", action="figure", word="figure + definition", text="another figure, its definition below",
            shown="↑ ↓", group="Look", screen=RUN),
        Key(keys="enter", action="text", word="whole text", text="the whole text", group="Look", when=("text",), screen=RUN),
        Key(keys="x", action="explain", word="explain", text="where its time went, and why this speed", group="Look", screen=RUN),
        Key(keys="p", action="replay", word="replay", text="replay", group="Look", screen=RUN),
        Key(keys="P", action="replay_baseline", text="replay beside its baseline", group="Look", screen=RUN),
        Key(keys="a", action="mark", text="mark its cell: A, then B …", group="Keep", screen=RUN),
        Key(keys="y", action="copy", word="copy", text="copy the text", group="Keep", when=("text",), screen=RUN),
        Key(keys="w", action="write", text="write the text to a file", group="Keep", when=("text",), screen=RUN),
        Key(keys="l", action="log", text="its record in the server's log", group="Look", screen=RUN),
        Key(keys="e", action="export", word="export", text="export", group="Keep", screen=RUN),
        Key(keys="L", action="label", text="label", group="Keep", when=("edit",), screen=RUN),
        Key(keys="delete", action="delete", text="delete", shown="del", group="Keep", when=("edit",), screen=RUN),
        Key(keys="pageup,pagedown,home,end", action="page", text="scroll the lower part", shown="pgup pgdn", group="Look", screen=RUN),
        _back(RUN),
        Key(keys="v", action="view", word="view", text="view: chunks heat plain", group="Look", screen=TEXT),
        Key(keys="y", action="copy", word="copy", text="copy the text", group="Keep", screen=TEXT),
        Key(keys="w", action="write", word="write to a file", text="write the text to a file", group="Keep", screen=TEXT),
        _back(TEXT),
        Key(keys="n", action="next_record", word="generation", text="the next generation, its run in the head", shown="n N", group="Look",
            screen=LOG),
        Key(keys="N", action="record_before", text="the generation before", group="Look", screen=LOG),
        Key(keys="enter", action="open", word="its run", text="open the run of the chosen record", group="Look", when=("chosen",),
            screen=LOG),
        Key(keys="r", action="raw_log", word="raw", text="raw log lines", group="Look", screen=LOG),
        Key(keys="slash", action="filter", word="filter", text="filter", shown="/", group="Look", screen=LOG),
        Key(keys="space", action="pause", word="pause", text="pause the log", group="Look", screen=LOG),
        Key(keys="end", action="follow", word="follow", text="follow again", group="Look", when=("scrolled",), screen=LOG),
        _back(LOG),
        Key(keys="tab", action="next_page", word="next page", text="next page", group="Look", screen=HELP),
        Key(keys="shift+tab", action="last_page", text="page before", group="Look", screen=HELP),
        Key(keys="slash", action="filter", word="find", text="find a word", shown="/", group="Look", screen=HELP),
        Key(keys="n", action="next_found", word="next", text="the next place", group="Look", when=("found",), screen=HELP),
        _back(HELP),
        Key(keys="y", action="copy", word="copy", text="copy the page", group="Keep", screen=READ),
        _back(READ),
    )  # fmt: skip


def _transport() -> tuple[Key, ...]:
    """The keys of a replay and of two lanes, in the order of their footers."""
    look = (
        Key(keys="v", action="view", word="view", text="view: chunks heat plain", group="Look"),
        Key(keys="home", action="restart", word="restart", text="from the beginning", group="Run"),
        Key(keys="escape", action="back", word="back", text="back", shown="esc", group="App", when=("!alone",)),
        Key(keys="escape", action="back", word="leave", text="leave", shown="esc", group="App", when=("alone",)),
        Key(keys="less_than_sign,left_square_bracket,minus", action="slower", text="half as fast, down to ×0.25", shown="<", group="Run"),
        Key(keys="full_stop", action="step", text="pause, and the next chunk", shown=".", group="Run"),
        Key(keys="comma", action="step_back", text="pause, and the chunk before", shown=",", group="Run"),
        Key(keys="end", action="to_end", text="to the end", group="Run"),
        Key(keys="l", action="loop", text="again and again, or not", group="Run"),
    )
    moves = (
        Key(keys="space", action="play", word="pause", text="pause, go on; at the end again", group="Run"),
        Key(keys="left", action="backward", word="±1 s", text="a second back, a second on", shown="← →", group="Run"),
        Key(keys="right", action="forward", text="a second on", shown="→", group="Run"),
        Key(
            keys="greater_than_sign,right_square_bracket,plus", action="faster", word="speed", text="twice as fast, up to ×16",
            shown="< >", group="Run",
        ),
    )  # fmt: skip
    panels = (
        Key(keys="z", action="zoom", text="zoom the focused panel", group="Look", screen=REPLAY),
        Key(keys="1", action="focus_stream", text="focus the stream", group="Look", screen=REPLAY),
        Key(keys="2", action="focus_meter", text="focus the meter", group="Look", screen=REPLAY),
        Key(keys="tab", action="next_panel", text="next panel", group="Look", screen=REPLAY),
    )
    shared = (*moves, *look)
    swap = Key(keys="tab", action="swap", word="other lane", text="the other lane's text", group="Look", when=("narrow",), screen=LANES)
    return (swap, *(msgspec.structs.replace(key, screen=screen) for screen in (REPLAY, LANES) for key in shared), *panels)


KEYS: tuple[Key, ...] = (
    Key(keys="r", action="retry", word="retry", text="try the server again now", group="Run", when=("unreachable",), screen=LIVE),
    Key(keys="D", action="demo", word="demo", text="use the demo server until you quit", group="Run", when=("unreachable",), screen=LIVE),
    Key(keys="b", action="bench", word="bench", text="benchmark", group="Run", when=("ready",), screen=LIVE),
    Key(keys="s", action="story", word="story", text="stream the story prompt", group="Run", when=("ready",), screen=LIVE),
    Key(keys="c", action="code", word="code", text="stream the code prompt", group="Run", when=("ready",), screen=LIVE),
    Key(keys="B", action="bursts", text="story, then code, then both side by side", group="Run", when=("ready",), screen=LIVE),
    Key(keys="n", action="needle", text="search for needles in long prompts", group="Run", when=("ready",), screen=LIVE),
    Key(keys="S", action="sweep", word="done, go on", text="go on: the server is switched by hand", group="Run", when=("by_hand",),
        screen=LIVE),
    Key(keys="S", action="sweep", text="sweep the configured settings, its verdict", group="Run", when=("ready",), screen=LIVE),
    Key(keys="h", action="history", word="history", text="history, full screen", group="Keep", when=("narrow",), screen=LIVE),
    Key(keys="l", action="log", word="log", text="server log, full screen", group="Look", when=("narrow",), screen=LIVE),
    Key(keys="h", action="history", text="history, full screen", group="Keep", when=("!narrow",), screen=LIVE),
    Key(keys="l", action="log", text="server log, full screen", group="Look", when=("!narrow",), screen=LIVE),
    Key(keys="i", action="prompt", word="prompt", text="type a prompt", group="Run", when=("ready",), screen=LIVE),
    Key(keys="t", action="temperature", text="temperature", group="Run", screen=LIVE),
    Key(keys="T", action="max_tokens", text="max tokens", group="Run", screen=LIVE),
    Key(keys="r", action="raw_log", word="raw", text="raw log lines", group="Look", when=("!unreachable", "log"), screen=LIVE),
    Key(keys="space", action="pause", word="pause", text="pause the focused panel", group="Look", when=("shown",), screen=LIVE),
    Key(keys="v", action="view", word="view", text="view: chunks heat plain", group="Look", when=("shown",), screen=LIVE),
    Key(keys="z", action="zoom", word="zoom", text="zoom the focused panel", group="Look", when=("shown",), screen=LIVE),
    Key(keys="x", action="cancel", word="cancel", text="cancel, keep what came", group="Run", when=("running",), screen=LIVE),
    Key(keys="escape", action="escape", text="leave zoom; twice in a run: cancel", shown="esc", group="Run", screen=LIVE),
    Key(keys="e", action="export", word="export", text="export", group="Keep", when=("records",), screen=LIVE),
    Key(keys="enter", action="open", text="open the run", group="Keep", when=("history",), screen=LIVE),
    Key(keys="m", action="medians", text="medians / runs", group="Keep", screen=LIVE),
    Key(keys="a", action="mark", text="mark A, B …", group="Keep", when=("history",), screen=LIVE),
    Key(keys="d", action="compare", text="compare the marked", group="Keep", screen=LIVE),
    Key(keys="p", action="replay", text="replay; two marked: side by side", group="Keep", screen=LIVE),
    Key(keys="P", action="replay_baseline", text="replay beside its baseline", group="Keep", screen=LIVE),
    Key(keys="o", action="sort", text="sort by the next column", group="Keep", when=("history",), screen=LIVE),
    Key(keys="L", action="label", text="label", group="Keep", when=("history",), screen=LIVE),
    Key(keys="delete", action="delete", text="delete", shown="del", group="Keep", when=("history",), screen=LIVE),
    Key(keys="slash", action="filter", text="filter log or history", shown="/", group="App", screen=LIVE),
    Key(
        keys="1,2,3,4,5,6,7,8,9", action="choose", text="use one of the servers that answered", shown="1 … 9", group="Run",
        when=("choose",), screen=LIVE,
    ),
    Key(keys="1", action="focus_stream", text="focus the stream", group="Look", screen=LIVE),
    Key(keys="2", action="focus_meter", text="focus the meter", group="Look", screen=LIVE),
    Key(keys="3", action="focus_log", text="focus the log", group="Look", screen=LIVE),
    Key(keys="4", action="focus_history", text="focus the history", group="Look", screen=LIVE),
    Key(keys="tab", action="next_panel", text="next panel", group="Look", screen=LIVE),
    Key(keys="end", action="follow", text="follow again", group="Look", screen=LIVE),
    *_history(),
    *_pages(),
    *_transport(),
    Key(keys="y", action="copy", text="copy", group="Keep"),
    Key(keys="ctrl+p", action="palette", word="palette", text="every command by name", when=("!shown",)),
    Key(keys="ctrl+p", action="palette", text="every command by name", when=("shown",)),
    Key(keys="ctrl+z", action="suspend", text="suspend"),
    Key(keys="ctrl+c", action="interrupt", text="cancel the run; with none: quit; with text selected: copy"),
    Key(keys="question_mark", action="help", word="help", text="this help", shown="?", at_end=True),
    Key(keys="q", action="quit", word="quit", text="quit", at_end=True),
)  # fmt: skip

SCROLLING: tuple[Binding, ...] = tuple(
    Binding(keys, action, show=False)
    for keys, action in (
        ("up,k", "scroll_up"), ("down,j", "scroll_down"), ("pageup", "page_up"), ("pagedown", "page_down"),
        ("home,g", "scroll_home"), ("end,G", "scroll_end"),
    )
)  # fmt: skip


def keys_of(screen: str, table: Iterable[Key] = KEYS) -> list[Key]:
    """The keys of one kind of screen, those of every screen among them."""
    return [key for key in table if key.screen in ("", screen)]


def bindings_of(screen: str, table: Iterable[Key] = KEYS) -> list[Binding]:
    """One binding a key; which of its actions it means is settled when it is pressed, by the facts of that moment."""
    names = dict.fromkeys(name for key in keys_of(screen, table) for name in key.keys.split(","))
    return [Binding(name, f"press('{name}')", show=False, priority=name in ("ctrl+c", "ctrl+p")) for name in names]


def key_pressed(name: str, screen: str, facts: Collection[str], table: Iterable[Key] = KEYS) -> Key | None:
    """What pressing `name` means now; None where it means nothing."""
    return next((key for key in keys_of(screen, table) if name in key.keys.split(",") and key.works(facts)), None)


def footer_keys(screen: str, facts: Collection[str], table: Iterable[Key] = KEYS) -> tuple[list[Key], list[Key]]:
    """What works now and has a footer word: the keys at the left in their order, and those at the right."""
    working = [key for key in keys_of(screen, table) if key.word and key.works(facts)]
    return [key for key in working if not key.at_end], [key for key in working if key.at_end]
