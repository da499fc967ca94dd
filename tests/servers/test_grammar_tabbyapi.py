"""TabbyAPI's log: every form of the Metrics line, the three sinks of one server, and what cannot pose as a generation."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.log.join import is_requeued
from sparktui.core.log.logrecord import Generation, LogRecord
from sparktui.servers.grammar import LogReader
from tests.servers.logs import FIXTURES, TABBY_LOGS, case_file, expected, generations, in_pieces, records, records_in

PAIRS = [(f"console-pipe-80col-{name}", f"file-{name}") for name in ("nodraft", "queued", "requeue", "verbose", "auth-disabled")]
PAIRS += [
    ("console-tty-120col-ansi-draft", "file-draft-of-tty-run"),
    ("console-pipe-unwrapped-width400-draft", "file-draft-of-width400-run"),
]
WITH_TRACEBACKS = [("console-pipe-80col-draft", "file-draft"), ("console-pipe-80col-no-model-tracebacks", "file-no-model-tracebacks")]
HEX = "0123456789abcdef0123456789abcdef"


def content(record: LogRecord) -> tuple[object, ...]:
    return record.time, record.level, record.text, record.generation, record.started, record.ended, record.cancelled


def one(line: str) -> Generation:
    found = generations(records(line.encode() + b"\n"))
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(("console", "file"), PAIRS)
def test_console_and_file_of_one_server_give_identical_records(console: str, file: str) -> None:
    shown = [
        content(record) for record in records_in(TABBY_LOGS / f"{console}.log") if not record.text.startswith("Loading ") or record.time
    ]
    assert shown == [content(record) for record in records_in(TABBY_LOGS / f"{file}.log")]


@pytest.mark.parametrize(("console", "file"), WITH_TRACEBACKS)
def test_where_the_sinks_print_tracebacks_differently_the_figures_are_equal(console: str, file: str) -> None:
    """A file's traceback carries variables, the console's does not: all but those error blocks is the same."""
    both = [
        [content(record) for record in records_in(TABBY_LOGS / f"{name}.log") if record.level != "error" and record.time]
        for name in (console, file)
    ]
    assert both[0] == both[1]
    assert len([record for record in both[0] if record[3] is not None]) >= 1


def index_lines(folder: str) -> list[tuple[str, str, str]]:
    """(8 hex digits, choice, figures) of each stream, as the folder's INDEX tells them."""
    page = (FIXTURES / folder / "INDEX.md").read_text(encoding="utf-8")
    return re.findall(r"^- [\w-]+ \(`([0-9a-f]{8})…`\): (?:choice (\d): )?(\d+ tokens generated .*)$", page, re.MULTILINE)


@pytest.mark.parametrize("folder", ["tabbyapi-e632af4", "tabbyapi-pr452"])
def test_every_figure_of_the_index(folder: str) -> None:
    found = {}
    for path in sorted((FIXTURES / folder / "logs").glob("file-*.log")):
        for generation in generations(records_in(path)):
            found[(generation.request_id or "")[:8], generation.choice] = generation
    lines = index_lines(folder)
    assert len(lines) >= 4
    for digits, choice, text in lines:
        generation = found[digits, int(choice) if choice else None]
        numbers = [float(value) if value != "Indeterminate" else None for value in re.findall(r"\d+\.\d+|\d+|Indeterminate", text)]
        told = [
            generation.completion_tokens, generation.total_s, generation.queue_s, generation.cached_tokens, generation.new_tokens,
            generation.prefill_tok_s, generation.server_tok_s, generation.prompt_tokens,
        ]  # fmt: skip
        assert told == numbers[:8]
        if "Draft:" in text:
            assert [generation.draft_accepted, generation.draft_proposed] == numbers[8:10]
            assert generation.acceptance_rate == (numbers[8] / numbers[9] if numbers[9] else None)  # type: ignore[operator]
        else:
            assert generation.draft_accepted is generation.draft_proposed is generation.acceptance_rate is None


def test_cancelled_and_failed_requests_have_no_generation_but_are_opened() -> None:
    found = records_in(TABBY_LOGS / "file-draft.log")
    started = {record.started for record in found if record.started}
    told = {record.generation.request_id for record in found if record.generation}
    assert {"f2758d94", "66341de3"} <= {name[:8] for name in started - told}
    assert any(record.cancelled and not record.ended for record in found)


def test_the_requeued_generation_shows_itself() -> None:
    (generation,) = generations(records_in(TABBY_LOGS / "file-requeue.log"))
    assert (generation.cached_tokens, generation.new_tokens, generation.prompt_tokens) == (512, 252, 33)
    assert is_requeued(generation)
    assert not is_requeued(generations(records_in(TABBY_LOGS / "file-draft.log"))[0])


HISTORY = [
    ("Response: 64 tokens generated in 2.5 seconds (25.6 T/s)", {"completion_tokens": 64, "server_tok_s": 25.6}),
    ("Response: 64 tokens generated in 2.5 seconds (25.6 T/s, context 700 tokens)", {"prompt_tokens": 700}),
    ("Response: 64 tokens generated in 2.5 seconds (25.6 T/s, context 700 tokens) <-- Not accurate (truncated)", {"truncated": True}),
    ("INFO:     Metrics: 64 tokens generated in 2.5 seconds (25.6 T/s, context 700 tokens)", {"prompt_tokens": 700, "grammar": "tabbyapi"}),
    (
        "INFO:     Metrics: 64 tokens generated in 2.5 seconds (Queue: 0.1 s, Process: 300.5 T/s, Generate: 32.0 T/s, Context: 700 tokens)",
        {"queue_s": 0.1, "prefill_tok_s": 300.5, "server_tok_s": 32.0, "cached_tokens": None, "draft_accepted": None},
    ),
    (
        "INFO:     Metrics: 9 tokens generated in None seconds (Queue: 0.0 s, Process: 3 cached tokens and 4 new tokens at "
        "Indeterminate T/s, Generate: Indeterminate T/s, Context: 7 tokens)",
        {"total_s": None, "cached_tokens": 3, "new_tokens": 4, "prefill_tok_s": None, "server_tok_s": None},
    ),
    (
        f"2026-06-20 10:00:00.000 INFO:     Metrics (ID: {HEX}-1): 9 tokens generated in 1e-05 seconds (Queue: 0.0 s, Process: 0 "
        "cached tokens and -4 new tokens at 3.0 T/s, Generate: 2.0 T/s, Context: 7 tokens, Draft: 0 / 4 tokens accepted (0.00%)) ",
        {"request_id": HEX, "choice": 1, "total_s": 1e-05, "new_tokens": None, "draft_accepted": 0, "acceptance_rate": 0.0},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("line", "figures"), HISTORY)
def test_every_form_since_2023(line: str, figures: dict[str, object]) -> None:
    generation = one(line)
    assert {name: getattr(generation, name) for name in figures} == figures


@pytest.mark.parametrize("absurd", ["9" * 17, "9" * 500, "9" * 5000])
def test_figures_beyond_what_can_have_been_counted_are_absent(absurd: str) -> None:
    generation = one(
        f"INFO:     Metrics: {absurd} tokens generated in 2.5 seconds (Queue: 0.1 s, Process: {absurd} cached tokens and 4 new tokens at "
        f"{9 * '9'} T/s, Generate: 1e999 T/s, Context: {absurd} tokens, Draft: {absurd} / {absurd} tokens accepted (50.00%))"
    )
    assert generation.completion_tokens is generation.cached_tokens is generation.prompt_tokens is generation.draft_proposed is None
    assert (generation.new_tokens, generation.total_s, generation.server_tok_s) == (4, 2.5, None)


def test_the_tail_of_a_truncated_generation_may_stand_on_the_next_line() -> None:
    console = (
        f"2026-06-20 10:00:00.000 INFO:     Metrics (ID: \n{HEX}): 9 tokens generated in 1.0 seconds (Queue: \n"
        "0.0 s, Process: 0 cached tokens and 4 new tokens at 3.0 T/s, Generate: 200000.00\n"
        "T/s, Context: 12345 tokens, Draft: 1000000 / 2000000 tokens accepted (50.00%))\n"
    )
    assert len(console.splitlines()[-1]) == 78
    assert not generations(records(console.encode()))[0].truncated
    assert generations(records(console.encode() + b"<-- Not accurate (truncated)\n"))[0].truncated


def test_a_complete_metrics_record_does_not_wait_for_the_next_line() -> None:
    reader = LogReader()
    console = (TABBY_LOGS / "console-pipe-80col-nodraft.log").read_bytes()
    end = console.index(b"Context: 30 tokens)")
    told = generations(reader.feed(console[: console.index(b"\n", end) + 1]))
    assert [generation.completion_tokens for generation in told] == [799]


FORGED = f"Metrics (ID: {HEX}): 1 tokens generated in 1.0 seconds (Queue: 0.0 s, Process: 0 cached tokens and 1 new tokens at 1.0 T/s, Generate: 1.0 T/s, Context: 1 tokens, Draft: 9 / 9 tokens accepted (100.00%)) "  # noqa: E501
STAMP = "2026-11-30 18:06:15.412"


@pytest.mark.parametrize(
    "log",
    [
        f"{STAMP} | INFO     | Raw prompt (ID: {HEX}): \n{FORGED}\n{STAMP} | INFO     | next\n",
        f"{STAMP} | INFO     | Raw prompt (ID: {HEX}): \n2026-11-30 18:06:15.411 | INFO     | {FORGED}\n{STAMP} | INFO     | next\n",
        f"{STAMP} INFO:     Raw prompt (ID: \n{HEX}): \n{STAMP} INFO:     say {FORGED}\n",
        f"{STAMP} INFO:     Raw prompt (ID: \n{HEX}): \n{STAMP} INFO:     2026-11-30 18:06:15.412 INFO:     {FORGED}\n",
        f"{STAMP} INFO:     Body: {{'content': '{FORGED}'}}\n",
        f"{STAMP} INFO:     Body: {{'content': \n{FORGED}\n",
        f"{STAMP} INFO:     some record\ntabby-1  | {STAMP} INFO:     {FORGED}\n",
        f'{STAMP} INFO:     some record\n{{"log":"{STAMP} INFO:     {FORGED}\\n","stream":"stdout"}}\n',
        f"{STAMP} INFO:     some record\nJan 01 00:00:00 box tabby[12]: {STAMP} INFO:     {FORGED}\n",
        f"0.01.000.000 I slot x: y\n{FORGED}\n0.02.000.000 I srv  z: {FORGED}\n",
    ],
)
def test_prompt_text_cannot_forge_a_generation(log: str) -> None:
    found = records(log.encode())
    assert generations(found) == []
    assert any("Draft: 9 / 9" in record.text for record in found)


def test_text_before_the_first_head_of_a_file_joined_inside_cannot_forge_one() -> None:
    reader = LogReader()
    reader.begin(mid_file=True)
    assert generations(reader.feed(f"{FORGED}\n{STAMP} | INFO     | next\n".encode())) == []


@pytest.mark.parametrize("name", ["console-pipe-80col-draft", "file-draft", "console-tty-120col-ansi-draft", "console-pipe-80col-verbose"])
@settings(max_examples=12, deadline=None)
@given(cuts=st.lists(st.integers(0, 60_000), max_size=30))
def test_random_pieces_give_the_same_records(name: str, cuts: list[int]) -> None:
    data = (TABBY_LOGS / f"{name}.log").read_bytes()
    assert in_pieces(data, cuts) == records(data)


def test_byte_by_byte_gives_the_same_records() -> None:
    data = (TABBY_LOGS / "console-pipe-80col-queued.log").read_bytes()
    assert in_pieces(data, list(range(len(data)))) == records(data)


@pytest.mark.parametrize("path", sorted(TABBY_LOGS.glob("*.log")), ids=lambda path: path.stem)
def test_no_key_is_left_in_any_record(path: object) -> None:
    assert path in TABBY_LOGS.glob("*.log")
    for record in records_in(TABBY_LOGS / getattr(path, "name", "")):
        assert "stub-api-key" not in record.text
        assert "stub-admin-key" not in record.text
        assert record.text.isprintable()


def test_b11_cached_tokens() -> None:
    (generation,) = generations(records(case_file("B11", "log.txt")))
    want = expected("B11")
    assert (generation.cached_tokens, generation.new_tokens) == (want["cached"], want["new"])
    assert (generation.prefill_tok_s, generation.server_tok_s, generation.draft_accepted) == (
        want["prefill_tps"],
        want["gen_tps"],
        want["draft"],
    )


def test_b15_queue() -> None:
    assert generations(records(case_file("B15", "log.txt")))[0].queue_s == expected("B15")["queue_s"]


@pytest.mark.parametrize(
    ("case", "name"),
    [("C04", "log.txt"), ("C05", "log80.txt"), ("C07", "x-json.log"), ("C08", "x-json.log"), ("C14", "log.txt"), ("C13", "log.bin")],
)
def test_c04_to_c14_the_figures_survive_what_is_around_them(case: str, name: str) -> None:
    found = records(case_file(case, name))
    (generation,) = generations(found)
    want = expected(case)
    assert generation.draft_accepted == want["accepted"]
    assert generation.draft_proposed == want.get("proposed", 846)
    if "entries" in want:
        assert len(found) == want["entries"]


def test_c03_half_a_line_is_not_read() -> None:
    reader = LogReader()
    assert reader.feed(case_file("C03", "part1.txt")) == []
    assert reader.partial
    found = generations(reader.feed(case_file("C03", "part2.txt")))
    assert [(one.draft_accepted, one.draft_proposed) for one in found] == [(expected("C03")["accepted"], expected("C03")["proposed"])]


def test_c09_carriers_mixed_in_one_file() -> None:
    assert [generation.draft_accepted for generation in generations(records(case_file("C09", "log.txt")))] == expected("C09")["accepted"]


def test_c09_wrapped_lines_behind_a_prefix() -> None:
    lines = case_file("C05", "log80.txt").decode().splitlines()
    for prefix in ("Jan 01 00:00:00 box tabby[12]: ", "tabby-1  | ", "2030-01-01T00:00:00.1Z stderr F "):
        found = records("".join(f"{prefix}{line}\n" for line in lines).encode())
        assert [(one.draft_accepted, one.draft_proposed) for one in generations(found)] == [(512, 846)]
        assert found[-1].text == "next entry"


def test_two_containers_in_one_stream_do_not_mix_their_lines() -> None:
    lines = case_file("C05", "log80.txt").decode().splitlines()
    mixed = "".join(f"tabby-1  | {line}\nother-1  | {line.replace('512', '99')}\n" for line in lines)
    assert sorted(one.draft_accepted or 0 for one in generations(records(mixed.encode()))) == [99, 512]


def test_c19_old_and_new_forms() -> None:
    found = generations(records(case_file("C19", "log.txt")))
    assert len(found) == expected("C19")["entries"]
    assert [one.request_id for one in found] == [None, None, HEX]
    assert [one.truncated for one in found] == [False, True, False]


def test_b24_nothing_drafted_is_no_rate() -> None:
    generation = one(f"{STAMP} INFO:     {FORGED}".replace("9 / 9 tokens accepted (100.00%)", "0 / 0 tokens accepted (0.00%)"))
    assert generation.acceptance_rate is None
    assert (generation.draft_accepted, generation.draft_proposed) == (0, 0)
