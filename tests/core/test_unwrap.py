"""Lines that a pipe cut at 80 columns become one record again; what only looks like one does not."""

from __future__ import annotations

from sparktui.core.log.unwrap import RawRecord, Unwrapper

STAMP = "2026-11-30 18:06:50.979"


def texts(lines: list[str], **options: bool) -> list[tuple[str, bool]]:
    unwrapper = Unwrapper(**options)
    return [(raw.text, raw.starts) for raw in unwrapper.feed(lines) + unwrapper.quiet()]


def test_a_wrapped_record_is_joined_with_one_blank() -> None:
    got = texts([f'{STAMP} INFO:     127.0.0.1:57474 - "POST /v1/chat/completions ', 'HTTP/1.1" 200', f"{STAMP} INFO:     next"])
    assert got == [('127.0.0.1:57474 - "POST /v1/chat/completions HTTP/1.1" 200', True), ("next", True)]


def test_a_line_that_was_exactly_full_lost_its_blank() -> None:
    full = f"{STAMP} INFO:     " + "word " * 9 + "x"
    assert texts([full.ljust(80, "y"), "tail"]) == [("word " * 9 + "x" + "y" * (80 - len(full)) + " tail", True)]


def test_a_path_folded_inside_a_word_is_joined_without_blank() -> None:
    path = "/srv/" + "a" * 90 + ".json"
    assert texts([f"{STAMP} WARNING:  Model JSON path ", path[:80], path[80:] + " not found."]) == [
        (f"Model JSON path {path} not found.", True)
    ]


def test_a_record_waits_until_the_next_head_or_a_pause() -> None:
    unwrapper = Unwrapper()
    assert unwrapper.feed([f"{STAMP} INFO:     Received chat completion streaming request "]) == []
    assert unwrapper.pending
    assert unwrapper.feed(["07f0916267fa4bb5af4c13e054314fb1"]) == []
    expected = "Received chat completion streaming request 07f0916267fa4bb5af4c13e054314fb1"
    assert unwrapper.quiet() == [RawRecord(expected, STAMP, "info", "tabbyapi")]
    assert not unwrapper.pending
    assert unwrapper.quiet() == []


def test_a_line_that_would_have_fit_is_no_continuation() -> None:
    got = texts([f"{STAMP} INFO:     short", "printed by somebody else", f"{STAMP} INFO:     next"])
    assert got == [("short", True), ("printed by somebody else", False), ("next", True)]


def test_an_indented_or_empty_line_is_no_continuation() -> None:
    long = f"{STAMP} ERROR:    " + "x" * 46
    assert texts([long, "    at indented", "", "tail"]) == [("x" * 46, True), ("    at indented", False), ("tail", False)]


def test_a_file_log_never_wraps_and_its_inner_lines_keep_clock_and_level() -> None:
    unwrapper = Unwrapper()
    got = unwrapper.feed([f"{STAMP} | INFO     | Your API key is: a", "Your admin key is: b", "", f"{STAMP} | ERROR    | next"])
    assert [(raw.text, raw.time, raw.level, raw.starts) for raw in got] == [
        ("Your API key is: a", STAMP, "info", True),
        ("Your admin key is: b", STAMP, "info", False),
        ("next", STAMP, "error", True),
    ]


def test_a_pasted_old_log_inside_a_logged_prompt_stays_text() -> None:
    got = texts(
        [
            f"{STAMP} | INFO     | Raw prompt (ID: 010b02b554224b02872c0034fa9700dd): ",
            "what does this mean?",
            "2025-01-01 10:00:00.000 | INFO     | Metrics (ID: 873d2e811f6d432ca60dd43975a13752): 794 tokens generated",
            "2026-11-30 18:06:59.000 | INFO     | Finished",
        ]
    )
    assert [starts for _, starts in got] == [True, False, False, True]


def test_progress_bars_are_one_record_at_their_end() -> None:
    bar = "Loading model modules ━━━━━━━━━━━━━━━ {}% {}/67 0:00:00"
    lines = [f"{STAMP} INFO:     Model successfully loaded.", bar.format(50, 33), bar.format(100, 67), bar.format(100, 67)]
    assert texts(lines) == [("Model successfully loaded.", True), (bar.format(100, 67), False)]
    assert texts(["Loading: 100%|###| 9/9"]) == [("Loading: 100%|###| 9/9", False)]


def test_without_any_head_every_line_is_a_record() -> None:
    assert texts(["one", "two"]) == [("one", True), ("two", True)]


def test_begun_inside_a_file_the_lines_before_the_first_head_start_nothing() -> None:
    lines = ["Metrics: rest of something", f"{STAMP} | INFO     | x"]
    assert texts(lines, mid_file=True) == [("Metrics: rest of something", False), ("x", True)]
    assert texts(["Metrics: a log without heads"], mid_file=True) == [("Metrics: a log without heads", True)]


def test_an_access_line_without_clock_does_not_hide_the_heads_that_follow() -> None:
    got = texts(["INFO:     Started server process [1]", "INFO 11-30 10:00:10 [metrics.py:101] Engine"])
    assert got == [("Started server process [1]", True), ("Engine", True)]


def test_a_record_of_endless_continuations_is_bounded() -> None:
    unwrapper = Unwrapper()
    got = unwrapper.feed([f"{STAMP} INFO:     " + "x" * 60, *["y" * 79 + " "] * 20_000])
    assert got
    assert max(len(raw.text) for raw in got) < 1_100_000


def test_a_narrow_terminal_is_recognised_by_its_lines() -> None:
    unwrapper = Unwrapper()
    unwrapper.feed([f"{STAMP} INFO:     a record of 60 col." for _ in range(60)])
    wrapped = [f"{STAMP} INFO:     some words that do not", "fit on so narrow a screen", f"{STAMP} INFO:     x"]
    assert [raw.text for raw in unwrapper.feed(wrapped)][-1] == "some words that do not fit on so narrow a screen"


def test_what_stands_alone_in_a_line_is_still_a_continuation_when_it_did_not_fit() -> None:
    got = texts([f"{STAMP} INFO:     Chat completions: ", "http://127.0.0.1:5811/v1/chat/completions", f"{STAMP} INFO:     x"])
    assert got[0] == ("Chat completions: http://127.0.0.1:5811/v1/chat/completions", True)
