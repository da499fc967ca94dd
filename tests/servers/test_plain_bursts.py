"""A burst of plain lines is handed on unread, and gives the records that reading line by line gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.log.logrecord import LogRecord
from sparktui.servers.grammar import GRAMMARS, LogReader
from sparktui.servers.grammar_tabbyapi import TabbyGrammar
from tests.servers.logs import FIXTURES, in_pieces

STAMP = "2026-11-30 18:06:15.412 | INFO     | "
PLAIN = [f"{STAMP}line {number} of a burst" for number in range(40)]
HEX = "0123456789abcdef0123456789abcdef"
SAYING = [
    f"{STAMP}Metrics (ID: {HEX}): 794 tokens generated in 26.86 seconds (Queue: 0.0 s, Process: 0 cached tokens and 36 new tokens at "
    "900.0 T/s, Generate: 29.6 T/s, Context: 36 tokens, Draft: 311 / 533 tokens accepted (58.35%)) ",
    f"{STAMP}Received chat completion streaming request {HEX}",
    f"{STAMP}Finished chat completion streaming request {HEX}",
    f"{STAMP}Chat completion {HEX} cancelled by user.",
    f"{STAMP}Request disconnected: /v1/completions",
    f"{STAMP}Immediately terminating all jobs. Clients will have their requests cancelled.",
]
ODD = [
    *SAYING, "a line without a head", "", f"{STAMP}", f"{STAMP} indented", f"{STAMP}Raw prompt (ID: {HEX}): ",
    "2026-11-30 18:06:15.500 | NOTE     | no level of theirs",
    "2026-11-30 18:06:15.500 INFO:     as the console prints", f"{STAMP}api key is: x", f"{STAMP}Bearer abcdefghijk",
    f"{STAMP}api_key: sk-1234567890123456789", f"{STAMP}a\ttab", f"{STAMP}café", f"{STAMP}{'x' * 9000}", f"{STAMP}hunter2hunter2",
    "llm-1  | 2026-11-30 18:06:15.700 | INFO     | behind a carrier",
]  # fmt: skip
FINE = [f"{STAMP}trailing blanks   ", "2026-11-30 18:06:15.411 | INFO     | before that", "2026-11-30 18:06:15.600 | ERROR    | it failed"]


def line_by_line(lines: list[str], **options: object) -> list[LogRecord]:
    reader = LogReader(**options)  # type: ignore[arg-type]
    return [record for line in lines for record in reader.feed(f"{line}\n".encode())] + reader.end()


def begun(**options: object) -> LogReader:
    """A reader that knows whose log it reads."""
    reader = LogReader(**options)  # type: ignore[arg-type]
    reader.feed(f"{STAMP}the first\n".encode())
    return reader


def test_a_burst_of_plain_lines_stays_as_it_is() -> None:
    reader = begun()
    records, plain = reader.take("".join(f"{line}\n" for line in PLAIN).encode())
    assert [(record.n, record.text) for record in records] == [(2, "line 0 of a burst")]
    assert plain is not None and (plain.first, plain.count) == (3, 39)
    assert reader.seen == 41 and reader.telling == 0
    assert records + plain.records() == line_by_line([f"{STAMP}the first", *PLAIN])[1:]
    assert [record.n for record in reader.feed(f"{STAMP}next\n".encode())] == [42]


@pytest.mark.parametrize("line", ODD)
def test_one_line_that_needs_reading_has_all_of_them_read(line: str) -> None:
    reader = begun(secrets=["hunter2hunter2"])
    data = "".join(f"{one}\n" for one in [*PLAIN, line, *PLAIN]).encode()
    assert reader.take(data)[1] is None


def test_a_few_lines_are_read_at_once() -> None:
    assert begun().take("".join(f"{line}\n" for line in PLAIN[:7]).encode())[1] is None


@pytest.mark.parametrize("grammar", [name for name in GRAMMARS if name not in ("auto", "tabbyapi")])
def test_the_lines_of_another_server_are_read(grammar: str) -> None:
    assert begun(grammar=grammar).take("".join(f"{line}\n" for line in PLAIN).encode())[1] is None


def test_nothing_goes_by_unread_behind_a_begun_record_or_inside_a_prompt() -> None:
    data = "".join(f"{line}\n" for line in PLAIN).encode()
    console = begun()
    console.feed(b"2026-11-30 18:06:15.412 INFO:     may go on\n")
    assert console.take(data)[1] is None
    prompt = begun()
    prompt.feed(f"{STAMP}Raw prompt (ID: {HEX}): \n".encode())
    assert prompt.take(data)[1] is None


def test_a_line_without_head_after_a_burst_has_its_clock_and_level() -> None:
    reader = begun()
    reader.take("".join(f"{line}\n" for line in [*PLAIN, "2026-11-30 19:00:00.000 | ERROR    | it failed"]).encode())
    (record,) = reader.feed(b"  at line 7\n")
    assert (record.time, record.level) == ("2026-11-30 19:00:00.000", "error")


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from([*PLAIN, *FINE, *ODD]), max_size=12).flatmap(lambda odd: st.permutations([*PLAIN[:20], *odd])),
    st.lists(st.integers(0, 20_000), max_size=6),
)
def test_every_mixture_gives_the_same_records_however_it_is_cut(lines: list[str], cuts: list[int]) -> None:
    data = "".join(f"{line}\n" for line in [PLAIN[0], *lines]).encode()
    assert in_pieces(data, cuts) == line_by_line([PLAIN[0], *lines])


def test_secrets_are_masked_in_a_burst() -> None:
    lines = [*PLAIN, f"{STAMP}given hunter2%2Fhunter2", *PLAIN, f"{STAMP}Authorization: Bearer abc.def"]
    reader = begun(secrets=["hunter2/hunter2"])
    found = reader.feed("".join(f"{line}\n" for line in lines).encode())
    assert [record.text for record in found if "line" not in record.text] == ["given ***", "Authorization: Bearer ***"]


@pytest.mark.parametrize("path", sorted((FIXTURES / "tabbyapi-e632af4/logs").glob("file-*.log")), ids=lambda path: path.stem)
def test_what_goes_by_unread_says_nothing(path: object) -> None:
    """Every record of the captured logs that a grammar finds something in is one that stops a burst."""
    assert hasattr(path, "read_text")
    grammar = TabbyGrammar()
    told = [line for line in path.read_text("utf-8").splitlines() if " | " in line and grammar.read(line.split("| ", 2)[-1] or " ", True)]
    for line in told:
        assert begun().take("".join(f"{one}\n" for one in [*PLAIN, line]).encode())[1] is None
