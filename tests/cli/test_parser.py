"""Option values: what is read, what is refused and how."""

from __future__ import annotations

import argparse

import pytest

from sparktui.cli.parser import Parser, comma_list, seconds, temperatures, text_argument, whole
from sparktui.errors import UsageError


def parser() -> Parser:
    made = Parser("sparktui bench", "Measure.")
    made.add_argument("--runs", type=whole(1, 10))
    made.add_argument("--temps", type=temperatures)
    made.add_argument("--prompts", type=comma_list)
    made.add_argument("--linger", type=seconds(0, 5))
    return made


def test_temperatures_keep_their_form() -> None:
    assert [repr(value) for value in temperatures("1.0, 0,unset,0.70")] == ["1.0", "0", "None", "0.7"]
    for wrong in ("", "warm", "-1", "9", "nan", "1e400"):
        with pytest.raises(argparse.ArgumentTypeError):
            temperatures(wrong)


def test_lists_and_numbers() -> None:
    args = parser().parse_args(["--runs", "10", "--prompts", "story, code,", "--linger", "0.5"])
    assert (args.runs, args.prompts, args.linger) == (10, ("story", "code"), 0.5)
    assert whole(1, 1_000_000)("100,000") == whole(1, 1_000_000)("100_000") == 100_000


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--runs", "0"], "--runs: '0' is no whole number between 1 and 10"),
        (["--runs", "2.5"], "--runs"),
        (["--temps", "hot"], "'hot' is no temperature"),
        (["--prompts", ","], "wants one or more names"),
        (["--linger", "9"], "no number between 0 and 5"),
        (["--tmeps", "1"], "Did you mean `--temps`?"),
        (["--run", "1"], "Did you mean `--runs`?"),
        (["extra"], "Unrecognized arguments: extra"),
        (["--runs"], "expected one argument"),
    ],
)
def test_mistakes_are_usage_errors(words: list[str], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        parser().parse_args(words)
    assert told in str(caught.value)
    assert caught.value.exit_code == 2


def test_bytes_of_another_locale_become_text() -> None:
    assert text_argument("caf\udcc3\udca9") == "café"
    assert text_argument("\udcff!") == "\ufffd!"
