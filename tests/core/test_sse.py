"""The event-stream parser: the same events however the bytes are cut, and the forms servers really send."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.sse import EventTooLargeError, SseEvent, SseParser

FIXTURES = Path(__file__).parents[1] / "fixtures"


def parse(*reads: bytes, close: bool = True) -> list[SseEvent]:
    parser = SseParser()
    events = [event for read in reads for event in parser.feed(read)]
    return events + parser.close() if close else events


def data_of(*reads: bytes, close: bool = True) -> list[str]:
    return [event.data for event in parse(*reads, close=close)]


def test_lf_crlf_and_cr_end_lines_alike() -> None:
    want = [SseEvent("", "a"), SseEvent("note", "b\nc")]
    text = "data: a\n\nevent: note\ndata: b\ndata: c\n\n"
    for end in ("\n", "\r\n", "\r"):
        assert parse(text.replace("\n", end).encode(), close=False) == want


def test_a_cr_at_the_end_of_a_read_ends_the_line_at_once_and_its_lf_adds_no_line() -> None:
    parser = SseParser()
    assert parser.feed(b"data: a\r\n\r") == [SseEvent("", "a")]
    assert parser.feed(b"\ndata: b\r") == []
    assert parser.feed(b"\n\r\n") == [SseEvent("", "b")]


def test_only_one_leading_space_is_removed() -> None:
    assert data_of(b"data:x\n\ndata: x\n\ndata:  x\n\ndata:\tx\n\n") == ["x", "x", " x", "\tx"]


def test_unicode_line_separators_stay_inside_the_data() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf"
    assert data_of(f"data: {text}\n\n".encode()) == [text]


def test_fields_without_data_and_unknown_fields_dispatch_nothing() -> None:
    stream = b"event: ping\n\nid: 7\n\nretry: 10\n\nfoo: bar\n\ndata\n\ndata:\n\ndata: \n\n"
    assert data_of(stream) == []


def test_the_name_does_not_leak_into_the_next_event() -> None:
    assert parse(b"event: ping\n\ndata: x\n\n") == [SseEvent("", "x")]


def test_an_empty_data_line_between_others_is_kept() -> None:
    assert data_of(b"data: a\ndata\ndata: b\n\n") == ["a\n\nb"]


def test_a_last_event_without_its_blank_line_comes_at_close() -> None:
    for tail in (b"data: z", b"data: z\n", b"data: z\r\n", b"data: z\r"):
        assert data_of(b"data: a\n\n" + tail, close=False) == ["a"]
        assert data_of(b"data: a\n\n" + tail) == ["a", "z"]


def test_invalid_utf8_is_replaced_and_the_stream_goes_on() -> None:
    assert data_of(b"data: \xff\xe9\n\ndata: ok\n\n") == ["\ufffd\ufffd", "ok"]


def test_bytes_that_only_begin_like_a_bom_are_kept() -> None:
    assert data_of(b"\xef", b"\xbb", b"\xbfdata: a\n\n") == ["a"]
    parser = SseParser()
    assert parser.feed(b"\xef\xbb") == []
    assert parser.close() == []
    assert parser.unframed == b"\xef\xbb\n"


def test_unframed_text_is_kept_until_a_field_is_seen() -> None:
    parser = SseParser()
    parser.feed(b': hi\n\n{"error":\n{"message": "no"}}')
    parser.close()
    assert json.loads(parser.unframed) == {"error": {"message": "no"}}
    assert parser.comments == 1
    framed = SseParser()
    assert [e.data for e in framed.feed(b"data: a\n\n<html>\n\ndata: b\n\n")] == ["a", "b"]
    assert framed.unframed == b""


def test_unframed_text_is_capped() -> None:
    parser = SseParser()
    for _ in range(50):
        parser.feed(b"<p>" + b"x" * 5000 + b"</p>\n\n")
    assert len(parser.unframed) == 64 * 1024


@pytest.mark.parametrize("read", [b"data: " + b"x" * 120 + b"\n\n", b"data: " + b"x" * 120, b"data: 1\ndata: " + b"x" * 120 + b"\n\n"])
def test_an_event_above_the_cap_is_refused_after_those_before_it(read: bytes) -> None:
    parser = SseParser(max_event_bytes=100)
    assert parser.feed(b"data: a\n\n" + read) == [SseEvent("", "a")]
    with pytest.raises(EventTooLargeError, match="more than 100 bytes"):
        parser.feed(b"data: b\n\n")
    with pytest.raises(EventTooLargeError):
        parser.close()


def test_the_cap_holds_for_an_event_in_many_reads() -> None:
    parser = SseParser(max_event_bytes=1000)
    with pytest.raises(EventTooLargeError):
        for _ in range(200):
            parser.feed(b"data: 0123456789")


def test_the_cap_is_on_one_event_not_on_the_read() -> None:
    parser = SseParser(max_event_bytes=100)
    assert len(parser.feed(b"data: 0123456789\n\n" * 1000)) == 1000


PIECES = ["data: a", "data:b", "data", ": c", "event: e", "id: 1", "data: \u96ea\U0001f30d", "x", "", "", "data: {\u2028}", " data: y"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(["\n", "\r", "\r\n"])), max_size=14), st.data())
def test_events_do_not_depend_on_the_cuts(lines: list[tuple[str, str]], data: st.DataObject) -> None:
    stream = "".join(text + end for text, end in lines).encode()
    whole, bytewise, cut = SseParser(), SseParser(), SseParser()
    want = whole.feed(stream) + whole.close()
    assert [e for i in range(len(stream)) for e in bytewise.feed(stream[i : i + 1])] + bytewise.close() == want
    places = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=5)))
    got = [e for a, b in zip([0, *places], [*places, len(stream)], strict=True) for e in cut.feed(stream[a:b])]
    assert got + cut.close() == want
    assert whole.comments == bytewise.comments == cut.comments
    assert whole.unframed == bytewise.unframed == cut.unframed


def captured_reads() -> list[Path]:
    return sorted(FIXTURES.glob("*/streams/*.jsonl"))


def body_of(path: Path) -> bytes:
    """The bytes of a captured HTTP response after its head, chunk framing taken off."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    raw = b"".join(base64.b64decode(r["b64"]) if "b64" in r else r["text"].encode() for r in lines[1:])
    head, _, body = raw.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" not in head.lower():
        return body
    out = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        out += body[: int(size, 16)]
        body = body[int(size, 16) + 2 :]
    return out


@pytest.mark.parametrize("path", captured_reads(), ids=lambda p: f"{p.parts[-3]}-{p.stem}")
def test_captured_streams_give_the_same_events_byte_by_byte(path: Path) -> None:
    body = body_of(path)
    whole = parse(body)
    assert parse(*(body[i : i + 1] for i in range(len(body)))) == whole
    for event in whole:
        if event.data != "[DONE]" and "nonstream" not in path.stem:
            json.loads(event.data)
    if "nonstream" not in path.stem:
        assert len(whole) >= 2


def wire_reads(case: str) -> list[bytes]:
    """The writes of a field case's first answer, each one read of ours."""
    wire = json.loads((FIXTURES / "cases" / case / "wire.json").read_text(encoding="utf-8"))
    return [base64.b64decode(w["b64"]) if "b64" in w else w["text"].encode() for w in wire["responses"][0]["writes"]]


def wire_text(case: str) -> str:
    """The answer's text of a field case: contents of its events joined; every event must be JSON or [DONE]."""
    out = ""
    for event in parse(*wire_reads(case)):
        if event.data != "[DONE]":
            for choice in json.loads(event.data).get("choices") or []:
                out += choice["delta"].get("content") or ""
    return out


def test_a01_comments_between_events_are_no_events() -> None:
    parser = SseParser()
    for read in wire_reads("A01"):
        parser.feed(read)
    assert parser.comments == 4
    assert wire_text("A01") == "Hello world"


def test_a02_crlf_framing_and_dated_pings_dispatch_as_they_come() -> None:
    parser = SseParser()
    assert [len(parser.feed(read)) for read in wire_reads("A02")] == [1, 0, 1, 1, 1, 1]
    assert wire_text("A02") == "ab"


def test_a04_empty_data_is_ignored() -> None:
    assert wire_text("A04") == "ok"


def test_a05_no_space_after_the_colon() -> None:
    assert wire_text("A05") == "nospace"
    assert parse(*wire_reads("A05"))[-1].data == "[DONE]"


def test_a06_several_data_lines_make_one_event() -> None:
    assert wire_text("A06") == "joined"


def test_a08_utf8_cut_between_reads() -> None:
    assert wire_text("A08") == "\u96ea\U0001f30d"


def test_a25_last_event_without_a_blank_line() -> None:
    assert json.loads(parse(*wire_reads("A25"))[-1].data)["usage"]["completion_tokens"] == 1


def test_a48_byte_order_mark_first() -> None:
    assert wire_text("A48") == "b"
    assert json.loads(parse(*wire_reads("A48"))[0].data)["choices"][0]["delta"]["role"] == "assistant"
