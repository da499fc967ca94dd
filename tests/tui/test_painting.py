"""What reaches the terminal: only the cells that changed, in the fewest sequences, and nothing at all when nothing changed."""

from __future__ import annotations

import asyncio

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate
from textual.strip import Strip

from sparktui.core.events import Chunk, MemoryNow
from sparktui.tui.drawing.compositor import CellUpdate
from sparktui.tui.drawing.frame import RESTING_HZ
from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.widgets.painted import changed_cells
from tests.tui.scenes import CODE, OPTIONS, STORY
from tests.tui.stage import Stage, on_stage

STYLES = (
    Style(color="#fbf1c7", bgcolor="#282828"), Style(color="#fe8019", bgcolor="#282828", bold=True),
    Style(color="#85a598", bgcolor="#3c3836"),
)  # fmt: skip
CELLS = st.lists(st.tuples(st.sampled_from("ab "), st.integers(0, 2)), min_size=8, max_size=8)
PLAIN = STYLES[0]


def row(*parts: tuple[str, Style]) -> list[Segment]:
    return [Segment(text, style) for text, style in parts]


def test_changed_cells_are_the_first_and_the_last_that_differ() -> None:
    before = row(("tokens ", PLAIN), ("364", STYLES[1]), (" / 800", PLAIN))
    assert changed_cells(before, row(("tokens ", PLAIN), ("364", STYLES[1]), (" / 800", PLAIN)), 16) is None
    assert changed_cells(before, row(("tokens ", PLAIN), ("369", STYLES[1]), (" / 800", PLAIN)), 16) == (9, 10)
    assert changed_cells(before, row(("tokens ", PLAIN), ("364", STYLES[2]), (" / 800", PLAIN)), 16) == (7, 10)
    assert changed_cells(row(("aaaa", PLAIN)), row(("aaba", PLAIN)), 4) == (2, 3)


def test_wide_characters_change_as_whole_pieces() -> None:
    assert changed_cells(row(("漢字", PLAIN)), row(("漢子", PLAIN)), 4) == (0, 4)
    assert changed_cells(row(("a漢", PLAIN), ("b", STYLES[1])), row(("a漢", PLAIN), ("c", STYLES[1])), 4) == (3, 4)


@settings(max_examples=100, deadline=None)
@given(CELLS, CELLS)
def test_painting_only_the_changed_cells_gives_the_new_row(old: list[tuple[str, int]], new: list[tuple[str, int]]) -> None:
    def strip(cells: list[tuple[str, int]]) -> Strip:
        line = Line(8, PLAIN)
        for x, (character, style) in enumerate(cells):
            line.put(x, (character, STYLES[style]))
        return line.strip()

    before, after = strip(old), strip(new)
    changed = changed_cells(list(before), list(after), 8)
    start, stop = changed or (0, 0)
    cells = [(c, s) for text, s, _ in before for c in text]
    wanted = [(c, s) for text, s, _ in after for c in text]
    cells[start:stop] = wanted[start:stop]
    assert [c for c, _ in cells] == [c for c, _ in wanted]
    assert [s for c, s in cells if c != " "] == [s for c, s in wanted if c != " "]


def test_pieces_that_do_not_fit_are_clipped_and_never_overlap() -> None:
    line = Line(10, PLAIN)
    line.put(0, ("left", PLAIN))
    line.end(-1, ("漢字漢字漢字", STYLES[1]))
    line.put(2, ("over", STYLES[2]))
    assert line.strip().cell_length == 10
    assert cut("漢字漢字", 5) == "漢字…" and cut("abc", 3) == "abc" and cut("abc", 0) == ""


def test_an_update_writes_exact_cells_and_only_what_differs_between_styles() -> None:
    chops = [{0: Strip(row(("0123456789", PLAIN))), 10: Strip(row(("abc", PLAIN), ("def", STYLES[1])))}]
    update = CellUpdate(chops, [(0, 8, 12)], [[10, 16]])
    written = update.render_segments(Console(color_system="256", force_terminal=True))
    assert written == "\x1b[1;9H\x1b[0m\x1b[38;5;230;48;5;235m89ab\x1b[0m"
    longer = CellUpdate(chops, [(0, 12, 14)], [[10, 16]]).render_segments(Console(color_system="256", force_terminal=True))
    assert longer == "\x1b[1;13H\x1b[0m\x1b[38;5;230;48;5;235mc\x1b[1;38;5;208md\x1b[0m"


@pytest.mark.parametrize("system", ["standard", "256", "truecolor"])
def test_a_terminal_shows_the_same_as_with_textuals_own_update(system: str) -> None:
    # a style remembers the codes of the first colour system it was written for
    styles = [Style(color=style.color, bgcolor=style.bgcolor, bold=style.bold) for style in STYLES]
    strips = [
        Strip(row((f"row {y} ", styles[y % 3]), ("x" * 10, styles[(y + 1) % 3]), ("日本", styles[2]), ("   ", styles[0]))) for y in range(4)
    ]
    chops = [{0: strip} for strip in strips]
    spans = [(0, 0, 23), (1, 3, 9), (2, 0, 4), (3, 8, 23)]
    ends = [[23]] * 4
    console = Console(color_system=system, force_terminal=True)  # type: ignore[arg-type]

    def shown(data: str) -> list[list[tuple[str, str, str, bool]]]:
        screen = pyte.Screen(30, 4)
        stream = pyte.Stream(screen)
        stream.feed(data)
        return [[(c.data, c.fg, c.bg, c.bold) for c in (screen.buffer[y][x] for x in range(30))] for y in range(4)]

    ours = shown(CellUpdate(chops, spans, ends).render_segments(console))
    theirs = shown(ChopsUpdate(chops, spans, ends).render_segments(console))
    for y, x1, x2 in spans:
        assert ours[y][x1:x2] == theirs[y][x1:x2]


class Counter:
    """What the app would write: the size of every partial update."""

    def __init__(self, stage: Stage) -> None:
        self.spans: list[list[tuple[int, int, int]]] = []
        display = stage.app._display

        def counting(screen: object, renderable: object) -> None:
            if isinstance(renderable, CellUpdate):
                self.spans.append(renderable.spans)
            display(screen, renderable)  # type: ignore[arg-type]

        stage.app._display = counting  # type: ignore[assignment, method-assign]


async def test_an_idle_screen_asks_for_no_paint() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(100)
        counter = Counter(stage)
        await stage.at(110)
        assert counter.spans == []


async def test_a_look_at_the_memory_does_not_wake_a_resting_screen() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(110)
        assert stage.app.paint_clock.period_s == 1 / RESTING_HZ
        stage.link.add(MemoryNow(seq=9_999, t_ns=stage.clock.ns, total=8, used=5, available=3))
        await stage.at(111)
        assert stage.app.session.memory is not None and stage.app.paint_clock.period_s == 1 / RESTING_HZ


async def test_the_newest_block_and_its_column_are_painted_in_one_frame() -> None:
    async with on_stage(STORY, options=OPTIONS) as stage:
        await stage.at(3)
        counter = Counter(stage)
        before = stage.app.session.current.chunks  # type: ignore[union-attr]
        while stage.app.session.current.chunks == before:  # type: ignore[union-attr]
            counter.spans.clear()
            await stage.at((stage.clock.ns - 5_000_000_000) / 1e9 + 0.1)
        (spans,) = counter.spans
        rows = {y for y, _, _ in spans}
        assert rows & set(range(2, 18)) and rows & set(range(19, 22))


async def test_between_chunks_only_the_now_line_moves() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(3)
        counter = Counter(stage)
        quiet = 0
        for _ in range(20):
            chunks = stage.app.session.current.chunks  # type: ignore[union-attr]
            counter.spans.clear()
            await stage.at((stage.clock.ns - 5_000_000_000) / 1e9 + 0.1)
            if stage.app.session.current.chunks == chunks:  # type: ignore[union-attr]
                quiet += 1
                left = [(y, x2 - x1) for spans in counter.spans for y, x1, x2 in spans if x1 < 81]
                assert all(19 <= y <= 21 and width <= 3 for y, width in left), left
        assert quiet > 5


async def test_events_that_take_many_frames_to_take_in_are_painted_on_the_way() -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(3)
        counter, app = Counter(stage), stage.app
        last = max((event for _, event in CODE if isinstance(event, Chunk)), key=lambda event: event.n)
        step = iter(range(2_000))
        stage.link.add(*(replace(last, n=last.n + i + 1, t_ns=stage.clock.ns, text=f"{i} ") for i in step))
        real = app.clock_ns

        def slow() -> int:
            stage.clock.ns += 5_000_000
            return real()

        app.clock_ns = slow
        left = []
        app.tick()
        while app._backlog:
            if counter.spans:
                left.append(len(app._backlog))
                counter.spans.clear()
            await asyncio.sleep(0.005)
        assert len(set(left)) >= 3
