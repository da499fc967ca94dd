"""docs/troubleshooting.md: what people meet in the field is there under the words in which they meet it."""

from __future__ import annotations

from importlib import resources

import pytest

PAGE = " ".join(resources.files("sparktui").joinpath("docs", "troubleshooting.md").read_text(encoding="utf-8").split())

# field cases that somebody sees as a failure or as something odd → words of the page
SYMPTOMS = {
    "A15": "Tokens carry ≈",
    "A16": "Only the first lines, then an error",
    "A19": "not_streamed",
    "A21": "Only the first lines",
    "A22": "the server's own words",
    "A23": "the stream ended without saying so",
    "A29": "*compressed*",
    "A30": "Everything arrives at once",
    "A31": "connections break",
    "A32": "Nothing comes for minutes",
    "A33": "prefill",
    "A35": "The model is loading",
    "A36": "asks to slow down",
    "A37": "It redirects",
    "A38": "A certificate is not trusted",
    "A39": "a character that a key cannot have",
    "A40": "It does not have the model",
    "A41": "base URL",
    "A43": "garbled_events",
    "A49": "The next run after a cancel",
    "B07": "first chunk's tokens",
    "B11": "The prompt came from the server's cache",
    "B14": "The prompt does not fit",
    "B15": "TTFT is far too long",
    "B16": "Fewer tokens than asked for",
    "B18": "The first run is slower",
    "B19": "The rate falls during a bench",
    "B20": "Two figures are called by one name",
    "B21": "*accept rate*",
    "B24": "Acceptance is –",
    "B27": "Memory is –",
    "B30": "A needle was not found though the answer has it",
    "B31": "too small to divide by",
    "C01": "rotation",
    "C02": "truncation",
    "C05": "wrapped by the server at 80 columns",
    "C10": "one that ends",
    "C11": "network folders",
    "C12": "no permission to read",
    "C15": "Old lines are missing",
    "C17": "The times in it are hours away",
    "C24": "Figures change after the run has ended",
    "D03": "Signs like ␛",
    "D06": "direction marks",
    "D07": "The screen is too small",
    "D09": "`TERM` is `dumb`",
    "D10": "The locale is not UTF-8",
    "D11": "whether it takes it cannot be known",
    "D12": "I cannot mark text with the mouse",
    "D13": "Ctrl+C does not quit",
    "D15": "The line was lost",
    "D16": "the terminal is broken",
    "D19": "The screen needs a terminal",
    "D20": "A pasted prompt shows its length only",
    "E01": "taken from its journal",
    "E03": "torn `.jsonl` files",
    "E04": "The disk is full",
    "E07": "It exists already, or cannot be written",
    "E09": "a newer version made it",
    "E12": "a point in numbers, whatever the locale",
    "F01": "A line of config.yml is refused",
    "F02": "*unknown key*",
    "F04": "an environment variable that is not set",
    "F07": "only one file is read",
    "F08": "Others may read the file that holds the key",
    "F10": "The file is UTF-16",
    "F11": "api_tokens.yml",
}


@pytest.mark.parametrize("case", SYMPTOMS)
def test_a_symptom_is_on_the_page(case: str) -> None:
    assert SYMPTOMS[case] in PAGE


def test_no_symptom_is_there_twice() -> None:
    lines = resources.files("sparktui").joinpath("docs", "troubleshooting.md").read_text(encoding="utf-8").splitlines()
    heads = [line for line in lines if line.startswith("#")]
    assert len(heads) == len(set(heads))
