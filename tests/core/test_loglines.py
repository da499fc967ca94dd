"""Bytes to physical lines: whole lines only, redrawn bars, colours, rubbish, and the same lines however the bytes are cut."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.log.loglines import LineSplitter, redrawn, strip_escapes


def lines_of(data: bytes, limit: int = 1 << 20) -> list[str]:
    splitter = LineSplitter(limit)
    return splitter.feed(data) + splitter.end()


def test_only_whole_lines_come_out_before_the_end() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"one\ntw") == ["one"]
    assert splitter.partial
    assert splitter.feed(b"o\n") == ["two"]
    assert not splitter.partial
    assert splitter.end() == []


def test_the_end_makes_a_line_of_the_rest() -> None:
    assert lines_of(b"one\ntwo") == ["one", "two"]


def test_c16_a_character_cut_between_reads_stays_whole() -> None:
    splitter = LineSplitter()
    snow = "x雪\n".encode()
    assert splitter.feed(snow[:2]) + splitter.feed(snow[2:]) == ["x雪"]


def test_cr_redraws_and_crlf_is_a_plain_end() -> None:
    assert lines_of(b"a: 0%\ra: 50%\ra: 100%\r\nnext\r\n") == ["a: 100%", "next"]
    assert redrawn("bar 10%\r\x1b[2K2026 INFO x") == "\x1b[2K2026 INFO x"
    assert redrawn("text\r\x1b[0m") == "text"


def test_escapes_of_every_kind_are_taken_out() -> None:
    assert strip_escapes("\x1b[1;38;5;59m20\x1b[0m26\x1b]0;title\x07 \x1b]8;;x\x1b\\y\x1b(Bz") == "2026 yz"


def test_nul_and_invalid_utf8() -> None:
    assert lines_of(b"\0\1\xff\xfe\0garbage\xc3\nok\n") == ["\1\ufffd\ufffdgarbage\ufffd", "ok"]


def test_unicode_line_separators_end_no_line() -> None:
    assert lines_of("a\u2028b\x85c\x0bd\n".encode()) == ["a\u2028b\x85c\x0bd"]


def test_an_endless_line_is_cut_and_what_follows_is_found() -> None:
    splitter = LineSplitter(limit=1000)
    got: list[str] = []
    for _ in range(50):
        got += splitter.feed(b"x" * 100)
    got += splitter.feed(b"\nnext\n")
    assert [len(line) for line in got] == [1000, 4]
    assert lines_of(b"x" * 5000 + b"\nnext\n", limit=1000) == got


def test_an_endless_progress_bar_keeps_only_its_last_state() -> None:
    splitter = LineSplitter(limit=1000)
    got: list[str] = []
    for step in range(500):
        got += splitter.feed(b"\rbar %d of 500" % step)
    assert got == []
    assert splitter.feed(b"\n") == ["bar 499 of 500"]


def test_a_discarded_line_is_gone() -> None:
    splitter = LineSplitter()
    splitter.feed(b"half a li")
    splitter.discard()
    assert splitter.feed(b"new\n") == ["new"]


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=80), st.lists(st.integers(0, 80), max_size=6))
def test_cutting_changes_nothing(data: bytes, cuts: list[int]) -> None:
    splitter = LineSplitter()
    got: list[str] = []
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in itertools.pairwise(edges):
        got += splitter.feed(data[start:end])
    assert got + splitter.end() == lines_of(data)
