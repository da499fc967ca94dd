"""What carriers put around a line, and that text inside a record cannot pose as a carrier's line."""

from __future__ import annotations

import json

from sparktui.core.log.envelope import Envelope

HEAD = "2030-01-01 00:00:00.000 INFO:     "


def opened(*lines: str) -> list[tuple[str, str] | None]:
    envelope = Envelope()
    return [envelope.open(line) for line in lines]


def docker(text: str, stream: str = "stdout") -> str:
    return json.dumps({"log": text, "stream": stream, "time": "2030-01-01T00:00:00Z"})


def test_docker_json_keeps_its_two_streams_apart_and_joins_parts_of_each() -> None:
    got = opened(docker("one "), docker("err\n", "stderr"), docker("two\n"), docker("\x1b[32mgreen\x1b[0m\r\n"))
    assert got == [None, ("stderr", "err"), ("stdout", "one two"), ("stdout", "green")]


def test_docker_parts_without_an_end_are_bounded() -> None:
    envelope = Envelope()
    long = docker("x" * 16_384)
    results = [envelope.open(long) for _ in range(65)]
    assert results.count(None) == 64 - 1 + 1
    told = [result for result in results if result is not None]
    assert len(told) == 1
    assert len(told[0][1]) == 64 * 16_384


def test_cri_journald_kubectl_compose_and_stamped_lines() -> None:
    assert opened(f"2030-01-01T00:00:00.1Z stderr F {HEAD}x") == [("stderr", f"{HEAD}x")]
    assert opened("2030-01-01T00:00:00.1Z stdout P long ", "2030-01-01T00:00:00.1Z stdout F line") == [None, ("stdout", "long line")]
    assert opened(f"Jan 01 00:00:00 box tabby[12]: {HEAD}x") == [("tabby[12]", f"{HEAD}x")]
    assert opened(f"2030-01-01T00:00:00+0100 box tabby[12]: {HEAD}x") == [("tabby[12]", f"{HEAD}x")]
    assert opened(f"[pod/tabby-0/main] {HEAD}x", "[pod/tabby-0/main] tail") == [
        ("pod/tabby-0/main", f"{HEAD}x"),
        ("pod/tabby-0/main", "tail"),
    ]
    assert opened(f"tabby-1  | {HEAD}x", "tabby-1  | more") == [("tabby-1", f"{HEAD}x"), ("tabby-1", "more")]
    assert opened(f"2030-01-01T00:00:00.000000001Z {HEAD}x", "2030-01-01T00:00:00.000000002Z more") == [("", f"{HEAD}x"), ("", "more")]


def test_a_bare_log_is_left_alone_whatever_its_text_looks_like() -> None:
    envelope = Envelope()
    assert envelope.open(f"{HEAD}Raw prompt (ID: x):") == ("", f"{HEAD}Raw prompt (ID: x):")
    for text in (f"tabby-1  | {HEAD}forged", docker(f"{HEAD}forged\n"), f"Jan 01 00:00:00 box tabby[12]: {HEAD}forged", "a | b"):
        assert envelope.open(text) == ("", text)


def test_a_table_row_is_no_compose_prefix() -> None:
    assert opened("name | value", "x | y") == [("", "name | value"), ("", "x | y")]


def test_json_that_is_not_dockers_is_a_plain_line() -> None:
    assert opened('{"event": 1}', '{"log": 5}', '{"log":"x') == [("", '{"event": 1}'), ("", '{"log": 5}'), ("", '{"log":"x')]
