"""Stored runs on the screen again: at their times, with their figures, under the keys of the transport; two of them side by side."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
import pytest
from textual.pilot import Pilot

from sparktui.core.events import Chunk, RunDone
from sparktui.core.records import ChunkMark, RunRecord
from sparktui.core.replay import ORIGIN_NS, recording_of
from sparktui.errors import UsageError
from sparktui.tui.options import Options
from sparktui.tui.screens.lanes import LanesScreen
from sparktui.tui.screens.replay import ReplayScreen
from sparktui.tui.showing.lane_layout import lane_layout
from sparktui.tui.showing.lane_view import ahead, lane_names, lanes_server
from sparktui.tui.showing.player import Player
from sparktui.tui.showing.recorded import RecordedApp
from sparktui.tui.showing.recordings import playing, recorded
from sparktui.tui.widgets.stream_view import StreamView
from tests.tui.stage import Clock
from tests.tui.timelines import run

S = 1_000_000_000
FRAME_NS = 100_000_000


def stored(kind: str, *, seed: int = 0, label: str = "shipped") -> RunRecord:
    """A run as the history gives it back: with text and timeline."""
    events = [event for _, event in run(kind, seed=seed, label=label, joined=False)]
    done = next(event for event in events if isinstance(event, RunDone))
    chunks = [event for event in events if isinstance(event, Chunk)]
    text = "".join(chunk.text for chunk in chunks)
    share = (done.record.completion_tokens or 0) / len(text)
    start_ns = chunks[0].t_ns - round((done.record.ttft_s or 0) * 1e9)
    marks = tuple(
        ChunkMark(round((chunk.t_ns - start_ns) / 1e9, 6), "content", len(chunk.text), len(chunk.text) * share) for chunk in chunks
    )
    return msgspec.structs.replace(done.record, text=text, timeline=marks, net_estimated=True)


CODE, STORY = stored("code"), stored("story")


class Theatre:
    def __init__(self, app: RecordedApp, clock: Clock, pilot: Pilot[int]) -> None:
        self.app, self.clock, self.pilot = app, clock, pilot

    async def wait(self, seconds: float) -> None:
        end = self.clock.ns + round(seconds * 1e9)
        while self.clock.ns < end:
            self.clock.ns = min(end, self.clock.ns + FRAME_NS)
            self.app.tick()
        await self.pilot.pause()
        self.app.tick()
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.wait(0)

    @property
    def player(self) -> Player:
        screen = self.app.screen
        assert isinstance(screen, ReplayScreen | LanesScreen)
        return screen.player

    @property
    def at_s(self) -> float:
        return self.player.position_ns / 1e9

    def text(self) -> str:
        return "\n".join(strip.text.rstrip() for strip in self.app.screen._compositor.render_strips())


@asynccontextmanager
async def theatre(
    records: Sequence[RunRecord], size: tuple[int, int] = (120, 36), *, speed: float = 1.0, loop: bool = False
) -> AsyncIterator[Theatre]:
    clock = Clock()
    app = RecordedApp(playing(records), Options(), report=lambda error: None, speed=speed, loop=loop)
    app.clock_ns = clock
    app._settle = lambda: None  # type: ignore[method-assign]
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Theatre(app, clock, pilot)


async def test_a_replayed_run_looks_as_it_did_and_ends_with_its_own_figures() -> None:
    async with theatre([CODE]) as stage:
        await stage.wait(7.2)
        shown = stage.text()
        assert "▶ replay" in shown and "code · T 0 · run 1" in shown
        assert "7.2 s" in shown and "1× speed" in shown
        session = stage.player.tracks[0].session
        assert session.current is not None
        landed = [mark for mark in CODE.timeline or () if mark.t_s <= 7.2]
        assert session.current.chunks == len(landed)
        assert session.current.tokens == pytest.approx(sum(mark.tokens for mark in landed))
        await stage.wait((CODE.total_s or 0) - 7)
        assert "53.7" not in stage.text() and f"{CODE.server_tok_s:.1f}" in stage.text()
        assert session.current.record == CODE
        assert "✓" in stage.text()


async def test_every_chunk_is_painted_within_a_frame_of_its_time_over_a_minute() -> None:
    marks = tuple(ChunkMark(round(0.5 + n * 0.2903, 6), "content", 9, 2.0) for n in range(205))
    record = msgspec.structs.replace(CODE, text="word word\n"[:9] * 205, timeline=marks, total_s=60.0, completion_tokens=410)
    async with theatre([record]) as stage:
        session = stage.player.tracks[0].session
        begin_ns, painted = stage.clock.ns, 0
        late_ns: list[int] = []
        while stage.clock.ns < begin_ns + 60 * S:
            stage.clock.ns += FRAME_NS + 1_357  # a timer that is never exactly on time
            stage.app.tick()
            now = session.current.chunks if session.current is not None else 0
            late_ns += [stage.clock.ns - begin_ns - round(mark.t_s * 1e9) for mark in marks[painted:now]]
            painted = now
        assert painted == 205
        assert min(late_ns) >= 0 and max(late_ns) <= FRAME_NS + 2_000
        assert abs(late_ns[-1] - late_ns[0]) <= FRAME_NS + 2_000


async def test_the_keys_of_the_transport() -> None:
    async with theatre([STORY]) as stage:
        await stage.wait(3)
        await stage.press("space")
        await stage.wait(2)
        assert stage.at_s == 3 and "‖" in stage.text()
        await stage.press("right")
        assert stage.at_s == 4
        await stage.press("left", "left")
        assert stage.at_s == 2
        session = stage.player.tracks[0].session
        assert session.current is not None
        before = session.current.chunks
        await stage.press("full_stop")
        assert session.current.chunks == before + 1
        await stage.press("comma", "comma")
        assert session.current is not None and session.current.chunks == before - 1
        await stage.press("greater_than_sign", "space")
        at = stage.at_s
        await stage.wait(1)
        assert stage.at_s == pytest.approx(at + 2)
        assert "2× speed" in stage.text()
        await stage.press("less_than_sign", "left_square_bracket", "minus")
        assert stage.player.transport.speed == 0.25
        await stage.press("home")
        assert stage.at_s == 0
        await stage.press("end")
        assert stage.at_s == pytest.approx(stage.player.length_ns / 1e9)
        await stage.press("l")
        assert "loop" in stage.text()


async def test_going_back_shows_the_text_of_that_moment_and_not_that_of_later_ones() -> None:
    async with theatre([STORY]) as stage:
        await stage.wait(8)
        later = stage.app.screen.query_one(StreamView).text.text()
        await stage.press("space", "left", "left", "left", "left", "left")
        earlier = stage.app.screen.query_one(StreamView).text.text()
        wanted = "".join(text for at, text in chunks_of(STORY) if at <= 3)
        assert earlier == wanted and later.startswith(earlier) and len(later) > len(earlier)


def chunks_of(record: RunRecord) -> list[tuple[float, str]]:
    cues = recording_of([record]).cues
    return [((cue.event.t_ns - ORIGIN_NS) / 1e9, cue.event.text) for cue in cues if isinstance(cue.event, Chunk)]


async def test_a_loop_begins_again_by_itself() -> None:
    async with theatre([CODE], speed=8, loop=True) as stage:
        await stage.wait((CODE.total_s or 0) / 8 + 3 + 0.5)
        assert stage.at_s == pytest.approx(0.5 * 8, abs=0.5)
        session = stage.player.tracks[0].session
        assert session.current is not None and not session.current.done


async def test_nothing_can_be_sent_or_typed_in_a_replay() -> None:
    async with theatre([CODE], (80, 24)) as stage:
        await stage.wait(2)
        await stage.press("s", "b", "i", "x", "D")
        assert len(stage.app.screen_stack) == 1 and stage.player.tracks[0].session.current is not None
        assert "prompt" not in stage.text()


@pytest.mark.parametrize("records", [[CODE], [CODE, STORY]])
async def test_help_opens_over_a_replay_and_escape_leaves_it(records: list[RunRecord]) -> None:
    async with theatre(records) as stage:
        await stage.wait(1)
        await stage.press("question_mark")
        assert len(stage.app.screen_stack) == 2
        await stage.press("escape")
        assert len(stage.app.screen_stack) == 1
        await stage.press("escape")
        assert stage.app._exit


async def test_two_lanes_on_one_clock() -> None:
    async with theatre([CODE, STORY]) as stage:
        await stage.wait(7.2)
        shown = stage.text()
        one, other = (track.session.current for track in stage.player.tracks)
        assert one is not None and other is not None
        assert one.t_send_ns == other.t_send_ns
        assert f"code ahead by ≈ {round(one.tokens) - round(other.tokens)} tokens" in shown
        assert "both on one clock, tokens per 100 ms" in shown
        assert "so far   TTFT 1.08 s" in shown and "so far   TTFT 0.60 s" in shown
        lines = shown.split("\n")
        axis = next(line for line in lines if "┴0" in line and "7 s" in line)
        assert axis.index("┴0") == 7
        await stage.wait(9)
        assert f"✓ {CODE.client_tok_s:.1f} tok/s" in stage.text()
        await stage.wait(12)
        assert "code was done" in stage.text() and "earlier" in stage.text()


async def test_below_a_hundred_cells_one_text_is_shown_and_tab_swaps_it() -> None:
    async with theatre([CODE, STORY], (80, 24)) as stage:
        await stage.wait(5)
        assert "tab other lane" in stage.text()
        assert "self." in stage.text() or "import" in stage.text()
        await stage.press("tab")
        lines = stage.text().split("\n")
        assert lines[1].startswith("▌story")
        assert sum("▌code" in line for line in lines) == 0
        assert any(line.startswith(" code") for line in lines), "the strips of both stay"


@pytest.mark.parametrize("size", [(200, 50), (120, 36), (100, 30), (99, 30), (80, 24), (60, 20), (50, 20), (30, 12), (20, 5), (8, 3)])
@pytest.mark.parametrize("records", [[CODE], [CODE, STORY]])
async def test_no_size_breaks_a_replay(size: tuple[int, int], records: list[RunRecord]) -> None:
    async with theatre(records, size) as stage:
        await stage.wait(4)
        strips = stage.app.screen._compositor.render_strips()
        assert {strip.cell_length for strip in strips} == {size[0]}
        await stage.press("tab", "end", "home")


def test_the_parts_of_the_lanes_fill_the_screen_and_do_not_overlap() -> None:
    for width in (20, 59, 60, 99, 100, 120, 240):
        for height in (3, 5, 13, 14, 20, 24, 29, 30, 36, 60):
            for caption in (False, True):
                regions = lane_layout(width, height, shown=1, caption=caption).regions
                taken = [(x, y) for at in regions.values() for x in range(at.x, at.right) for y in range(at.y, at.bottom)]
                assert len(taken) == len(set(taken)), (width, height)
                assert all(0 <= x < width and 0 <= y < height for x, y in taken), (width, height, caption)


def test_lanes_are_named_by_what_tells_them_apart() -> None:
    assert lane_names(CODE, STORY) == ("code", "story")
    drafted = msgspec.structs.replace(CODE, label="no-draft")
    assert lane_names(CODE, drafted) == ("shipped", "no-draft")
    assert lane_names(CODE, CODE) == ("A", "B")


def test_who_is_ahead_is_not_said_before_there_is_text() -> None:
    assert ahead(("a", "b"), (None, None)) == ""


def test_a_run_without_a_timeline_is_refused_by_its_id() -> None:
    with pytest.raises(UsageError, match=CODE.id):
        recorded([msgspec.structs.replace(CODE, timeline=None)])


def test_two_lanes_say_which_server_is_simulated() -> None:
    real = CODE.server
    demo = msgspec.structs.replace(real, kind="demo", base_url="http://127.0.0.1:1", model="sim")
    again = msgspec.structs.replace(demo, base_url="http://127.0.0.1:2")
    assert lanes_server(real, real) == (real, "")
    assert lanes_server(demo, again) == (demo, ""), "another start of it is no other server"
    assert lanes_server(demo, real) == (None, f"sim (simulated) · {real.model}")


async def test_two_lanes_of_the_simulated_server_have_its_badge() -> None:
    server = msgspec.structs.replace(CODE.server, kind="demo", base_url="http://127.0.0.1:1")
    other = msgspec.structs.replace(server, base_url="http://127.0.0.1:2")
    records = [msgspec.structs.replace(CODE, server=server), msgspec.structs.replace(STORY, server=other)]
    async with theatre(records) as stage:
        await stage.wait(1)
        assert "DEMO SERVER" in stage.text() and "simulated, nothing here is measured" in stage.text()
