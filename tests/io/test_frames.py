"""Whatever the cuts, the re-framed response holds the same head and body, and one HTTP parser event per read at most."""

from __future__ import annotations

import itertools

import h11
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.io.http.frames import FrameJoiner

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunked(parts: list[bytes]) -> bytes:
    return b"".join(b"%X\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def parsed(pieces: list[bytes], *, end: bool = True) -> tuple[int, bytes]:
    """Status and body that an HTTP parser makes of `pieces`, fed one by one."""
    parser = h11.Connection(h11.CLIENT)
    parser.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
    parser.send(h11.EndOfMessage())
    status, body, done = 0, b"", False
    for piece in [*pieces, *([b""] if end else [])]:
        if done:
            break
        parser.receive_data(piece)
        while (event := parser.next_event()) is not h11.NEED_DATA:
            if isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                done = True
                break
    assert done
    return status, body


def cut(whole: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(whole), *(place % (len(whole) + 1) for place in places)})
    return [whole[a:b] for a, b in itertools.pairwise(edges)]


@settings(max_examples=150, deadline=None)
@given(parts=st.lists(st.binary(min_size=1, max_size=40), max_size=12), places=st.lists(st.integers(0, 2000), max_size=30))
def test_same_body_at_any_cut(parts: list[bytes], places: list[int]) -> None:
    joiner = FrameJoiner()
    out = [joiner.feed(piece) for piece in cut(HEAD + chunked(parts), places)]
    assert parsed([piece for piece in out if piece]) == (200, b"".join(parts))


def test_byte_by_byte_holds_back_only_size_lines() -> None:
    whole = chunked([b"abc", b"defgh"])
    joiner = FrameJoiner()
    assert joiner.feed(HEAD) == HEAD
    out = [joiner.feed(bytes([byte])) for byte in whole]
    assert b"".join(out).count(b"a") == 1
    assert out[3] == b"1\r\na\r\n"
    assert parsed([HEAD, *(piece for piece in out if piece)]) == (200, b"abcdefgh")


def test_one_read_of_many_chunks_becomes_one_chunk() -> None:
    joiner = FrameJoiner()
    joiner.feed(HEAD)
    assert joiner.feed(chunked([b"x" * 10] * 50)[: -len(b"0\r\n\r\n")]) == b"1f4\r\n" + b"x" * 500 + b"\r\n"


def test_informational_head_first() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
    for places in ([], [5], [len(early)], [len(early) + 10]):
        joiner = FrameJoiner()
        out = [joiner.feed(piece) for piece in cut(early + HEAD + chunked([b"ab", b"c"]), places)]
        assert parsed(out) == (200, b"abc")


@pytest.mark.parametrize("body", [b"content-length: 6\r\n\r\n5\r\nab\n", b"\r\n5\r\nuntil the end"])
def test_bodies_that_are_not_chunked_pass_unchanged(body: bytes) -> None:
    whole = b"HTTP/1.1 200 OK\r\n" + body
    joiner = FrameJoiner()
    assert b"".join(joiner.feed(piece) for piece in cut(whole, [4, 20, 30, 42])) == whole


@pytest.mark.parametrize("bad", [b"zz\r\nab\r\n", b"-3\r\nab\r\n", b"2\r\nabXX3\r\n"])
def test_malformed_chunks_reach_the_parser_as_an_error(bad: bytes) -> None:
    joiner = FrameJoiner()
    with pytest.raises(h11.RemoteProtocolError):
        parsed([joiner.feed(HEAD), joiner.feed(b"1\r\nx\r\n"), joiner.feed(bad)])


def test_a_body_cut_inside_a_chunk_is_an_error_at_the_end() -> None:
    joiner = FrameJoiner()
    with pytest.raises(h11.RemoteProtocolError, match="incomplete"):
        parsed([joiner.feed(HEAD + b"5\r\nabc")])
