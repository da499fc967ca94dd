"""Colours, glyphs, keys and the paint clock: the parts that make the looks."""

from __future__ import annotations

import pytest
from rich.color import ColorSystem
from textual.color import Color

from sparktui.errors import ConfigError
from sparktui.tui.app import SparkApp
from sparktui.tui.clocks import WorkerClock
from sparktui.tui.drawing.frame import PaintClock
from sparktui.tui.drawing.glyphs import Glyphs, glyphs_for
from sparktui.tui.drawing.roles import Roles
from sparktui.tui.drawing.themes import theme_named
from sparktui.tui.keys import KEYS, bindings_of, footer_keys, key_pressed
from sparktui.tui.options import Options
from sparktui.tui.workers.link import ScriptedLink
from tests.tui.scenes import CODE, OPTIONS
from tests.tui.stage import on_stage


def roles_of(theme: str, *, colourless: bool = False) -> Roles:
    app = SparkApp(lambda: ScriptedLink([], lambda: 0), Options())
    app.theme = theme
    return Roles(app.get_css_variables(), dark=app.current_theme.dark, colourless=colourless)


def contrast(one: Color, other: Color) -> float:
    def luminance(colour: Color) -> float:
        def linear(part: int) -> float:
            share = part / 255
            return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

        return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b)

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("theme", "least"), [("gruvbox", (12.9, 8.8, 5.9, 4.6, 5.4)), ("spark-light", (12.9, 10.7, 4.8, 4.0, 5.3))]
)
def test_contrast_is_what_the_design_promises(theme: str, least: tuple[float, ...]) -> None:
    text, tint, muted, head, ramp = least
    colours = roles_of(theme).colours
    assert contrast(colours["text"], colours["background"]) >= text
    assert contrast(colours["text"], colours["tint"]) >= tint
    assert contrast(colours["muted"], colours["background"]) >= muted
    assert contrast(colours["muted"], colours["head"]) >= head
    for role in ("flow", "mid", "burst"):
        assert contrast(colours[role], colours["background"]) >= ramp


def test_in_256_colours_gruvbox_keeps_the_roles_apart() -> None:
    colours = roles_of("gruvbox").colours
    numbers = {role: colour.rich_color.downgrade(ColorSystem.EIGHT_BIT).number for role, colour in colours.items()}
    assert numbers["background"] == 235
    assert len({numbers[role] for role in ("background", "tint", "cursor")}) == 3
    assert len({numbers[role] for role in ("text", "muted", "flow", "mid", "burst")}) == 5


@pytest.mark.parametrize("theme", ["gruvbox", "spark-light", "textual-dark", "textual-light", "nord", "flexoki", "ansi-dark", "ansi-light"])
async def test_every_theme_dresses_the_screen_and_can_be_changed_while_it_runs(theme: str) -> None:
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(5)
        text = stage.text()
        stage.app.theme = theme
        await stage.settle()
        await stage.settle()
        assert stage.text() == text
        background = stage.app.roles.colours["background"].rich_color
        assert stage.strips()[10]._segments[0].style.bgcolor == background  # type: ignore[union-attr]


def test_without_colour_the_ramp_is_the_texts_colour() -> None:
    roles = roles_of("gruvbox", colourless=True)
    assert roles.colours["burst"] == roles.colours["flow"] == roles.colours["text"]


async def test_no_color_turns_everything_to_greys_and_keeps_block_and_tint_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with on_stage(CODE, options=OPTIONS) as stage:
        await stage.at(7.2)
        styles = [segment.style for strip in stage.strips() for segment in strip if segment.style is not None]
        triplets = {colour.triplet for style in styles for colour in (style.color, style.bgcolor) if colour is not None and colour.triplet}
        assert triplets and all(t.red == t.green == t.blue for t in triplets)
        grounds = {style.bgcolor.triplet.red for style in styles if style.bgcolor is not None and style.bgcolor.triplet}
        assert len(grounds) >= 4


def test_an_unknown_theme_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="gruvbux") as caught:
        theme_named("gruvbux", ["gruvbox", "nord"])
    assert "did you mean gruvbox?" in caught.value.hint


async def test_the_ascii_set_keeps_every_row_as_wide_and_writes_nothing_else() -> None:
    import msgspec

    options = msgspec.structs.replace(OPTIONS, ui=msgspec.structs.replace(OPTIONS.ui, glyphs="ascii"))
    async with on_stage(CODE, options=options) as stage:
        await stage.at(7.2)
        assert stage.text().isascii()
        assert stage.widths() == {120}
        assert "* generating" in stage.lines()[0] and "~ 334 / 800" in stage.text()


def test_ascii_stand_ins_have_the_width_of_what_they_replace() -> None:
    ascii_set = Glyphs(ascii_only=True)
    assert ascii_set.drawn("▁▄█ ● ✓ ≈ – × │ ─ ━") == ".:# * * ~ - x | - ="
    assert ascii_set.drawn("漢a") == "??a"
    assert Glyphs(ascii_only=False).drawn("漢▁") == "漢▁"
    assert glyphs_for("auto", "ANSI_X3.4-1968").ascii_only and glyphs_for("auto", "ISO-8859-1").ascii_only
    assert not glyphs_for("auto", "UTF-8").ascii_only and glyphs_for("ascii", "utf-8").ascii_only


class TestKeys:
    def test_no_two_keys_mean_two_things_at_once(self) -> None:
        for screen in {key.screen for key in KEYS}:
            mine = [key for key in KEYS if key.screen in ("", screen)]
            for at, key in enumerate(mine):
                for other in mine[at + 1 :]:
                    if set(key.keys.split(",")) & set(other.keys.split(",")) and key.screen == other.screen:
                        facts = {fact for k in (key, other) for fact in k.when if not fact.startswith("!")}
                        both = key.works(facts) and other.works(facts)
                        # the first listed wins; it must then be the one with the narrower condition
                        assert not both or len(key.when) >= len(other.when) or key.action in ("retry", "choose"), (key, other)

    def test_what_a_key_means_depends_on_what_holds(self) -> None:
        assert key_pressed("r", "live", {"unreachable"}).action == "retry"  # type: ignore[union-attr]
        assert key_pressed("r", "live", {"log"}).action == "raw_log"  # type: ignore[union-attr]
        assert key_pressed("r", "live", {"ready"}) is None
        assert key_pressed("2", "live", {"choose"}).action == "choose"  # type: ignore[union-attr]
        assert key_pressed("2", "live", set()).action == "focus_meter"  # type: ignore[union-attr]

    def test_the_footer_lists_what_works_now_with_help_and_quit_at_the_end(self) -> None:
        left, right = footer_keys("live", {"ready", "shown", "running", "records"})
        assert [key.word for key in left] == ["bench", "story", "code", "prompt", "pause", "view", "zoom", "cancel", "export"]
        assert [key.word for key in right] == ["help", "quit"]
        narrow, _ = footer_keys("live", {"ready", "shown", "narrow"})
        assert [key.word for key in narrow][:5] == ["bench", "story", "code", "history", "log"]

    def test_every_key_is_bound_once(self) -> None:
        names = [binding.key for binding in bindings_of("live")]
        assert len(names) == len(set(names))
        assert {"s", "ctrl+c", "question_mark", "9"} <= set(names)


class TestPaintClock:
    def test_the_meter_is_due_four_times_a_second_and_a_second_once(self) -> None:
        clock = PaintClock()
        due = []
        for frame in range(100):
            due.append(clock.begin(frame / 10))
            clock.end(frame / 10 + 0.002)
        assert 38 <= sum(item.meter for item in due) <= 41
        assert 9 <= sum(item.second for item in due) <= 11

    def test_dear_frames_slow_it_down_to_four_a_second_and_cheap_ones_bring_it_back(self) -> None:
        clock, now = PaintClock(), 0.0
        for _ in range(20):
            clock.begin(now)
            clock.end(now + 0.2)
            now += 0.3
        assert clock.hz == 4.0
        for _ in range(200):
            clock.begin(now)
            clock.end(now + 0.002)
            now += clock.period_s
        assert clock.hz == 10.0

    def test_a_fixed_rate_stays(self) -> None:
        clock = PaintClock(5)
        clock.begin(0.0)
        assert not clock.end(3.0) and clock.period_s == pytest.approx(0.2)

    def test_when_nothing_comes_for_seconds_it_looks_less_often_until_something_does(self) -> None:
        clock = PaintClock()
        changes = [clock.rest() for _ in range(60)]
        assert sum(changes) == 1 and clock.period_s == pytest.approx(0.25)
        assert clock.stir() and clock.period_s == pytest.approx(0.1)
        assert not clock.stir()

    def test_a_late_start_does_not_fire_the_meter_many_times(self) -> None:
        clock = PaintClock()
        clock.begin(0.0)
        assert [clock.begin(100 + tenth / 10).meter for tenth in range(4)] == [True, False, False, True]


def test_the_workers_now_is_never_before_its_newest_stamp() -> None:
    clock = WorkerClock()
    assert clock.now(50) == 50
    clock.see(1_000, 400)
    clock.see(1_050, 500)
    assert clock.now(600) == 1_200
    clock.see(5_000, 600)
    assert clock.now(600) == 5_000
    clock.forget()
    assert clock.now(7) == 7
