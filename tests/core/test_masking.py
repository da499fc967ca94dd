"""Secrets: every form in which servers, logs and addresses show them is masked, and the rest of the text stays."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.masking import mask_secrets, mask_url

FIXTURES = Path(__file__).parents[1] / "fixtures"
KEY = "k3y-0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"INFO:     Your API key is: {KEY}", "INFO:     Your API key is: ***"),
        (f"INFO | Your admin key is: {KEY}\nnext", "INFO | Your admin key is: ***\nnext"),
        (f"\x1b[0m:     Your API key is:\x1b[1m {KEY}\x1b[0m", "\x1b[0m:     Your API key is:\x1b[1m ***\x1b[0m"),
        (f"Your API key is:\n{KEY}", "Your API key is:\n***"),
        (f"Authorization: Bearer {KEY}", "Authorization: Bearer ***"),
        (f"authorization: {KEY}", "authorization: ***"),
        (f"'authorization': 'Bearer {KEY}', 'content-length': '4'", "'authorization': 'Bearer ***', 'content-length': '4'"),
        (f'{{"X-Api-Key": "{KEY}", "n": 1}}', '{"X-Api-Key": "***", "n": 1}'),
        (f'{{\\"x-admin-key\\": \\"{KEY}\\"}}', '{\\"x-admin-key\\": \\"***\\"}'),
        (f"[(b'host', b'x'), (b'authorization', b'Bearer {KEY}')]", "[(b'host', b'x'), (b'authorization', b'Bearer ***')]"),
        (f"x-admin-key: {KEY}", "x-admin-key: ***"),
        (f"curl -H 'Authorization: Bearer {KEY}' http://h/", "curl -H 'Authorization: Bearer ***' http://h/"),
        (f"api_key: {KEY}\nport: 5000", "api_key: ***\nport: 5000"),
        (f"api_key={KEY}&x=1", "api_key=***&x=1"),
        (f'api_key = "{KEY} with blanks"', 'api_key = "***"'),
        (f"ServerConfig(api_key='{KEY}', model='m')", "ServerConfig(api_key='***', model='m')"),
        (f"llama-server --api-key {KEY} --port 1", "llama-server --api-key *** --port 1"),
        (f"--hf-token={KEY}", "--hf-token=***"),
        (f"GET /v1/models?key={KEY}&limit=2 HTTP/1.1", "GET /v1/models?key=***&limit=2 HTTP/1.1"),
        (f"http://h/v1?x=1&access_token={KEY}", "http://h/v1?x=1&access_token=***"),
        ("connecting to http://me:pa55@host:5000/v1", "connecting to http://***@host:5000/v1"),
        ("https://token@host/", "https://***@host/"),
        (f"sent Bearer {KEY}.", "sent Bearer ***"),
        ("Cookie: token=abc; other=def", "Cookie: ***"),
        ('"cookie": "session=abc; other=def"', '"cookie": "***"'),
        ("password: hunter2", "password: ***"),
        ("found sk-proj-abcdef0123456789abcd in text", "found *** in text"),
        ("OPENAI_API_KEY=abc123", "OPENAI_API_KEY=***"),
        ("SPARKTUI_ADMIN_KEY=abc123", "SPARKTUI_ADMIN_KEY=***"),
    ],
)
def test_a_secret_is_masked_and_the_rest_stays(text: str, shown: str) -> None:
    assert mask_secrets(text) == shown
    assert mask_secrets(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Metrics (ID: 873d2e811f6d432ca60dd43975a13752): 794 tokens generated in 26.86 seconds",
        "no API key is set and CORS allows all origins (see https://github.com/ggml-org/llama.cpp/pull/1)",
        "Please provide an API key",
        '{"Authorization": null, "api_key": None}',
        "Send a Bearer token in the Authorization header.",
        "keyboard=1 monkey: banana, tokens: 800, --max-tokens 800, eos_token: </s>",
        "accept: */*, content-type: application/json",
        "http://127.0.0.1:5000/v1/chat/completions?limit=3",
        "write me@example.org about it",
    ],
)
def test_text_without_a_secret_is_left_alone(text: str) -> None:
    assert mask_secrets(text) == text


def test_given_secrets_are_masked_in_every_form() -> None:
    text = 'abc/de"f in abc%2Fde%22f and "abc/de\\"f"'
    assert mask_secrets(text, ['abc/de"f']) == '*** in *** and "***"'


def test_of_two_secrets_the_longer_goes_first_and_short_ones_only_as_words() -> None:
    assert mask_secrets("abcdef abcd", ["abcd", "abcdef"]) == "*** ***"
    assert mask_secrets("an ab in abacus", ["ab"]) == "an *** in abacus"
    assert mask_secrets("a b", ["", "  "]) == "a b"


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*/logs/*")), ids=lambda p: f"{p.parts[-3]}-{p.name}")
def test_no_key_of_a_captured_log_survives(path: Path) -> None:
    text = mask_secrets(path.read_text(encoding="utf-8", errors="replace"))
    assert "stub-api-key" not in text
    assert "stub-admin-key" not in text


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("tabbyapi-*/*/*.json*")), ids=lambda p: f"{p.parts[-2]}-{p.name}")
def test_no_key_of_a_captured_exchange_survives(path: Path) -> None:
    text = mask_secrets(path.read_text(encoding="utf-8"), ["stub-api-key", "stub-admin-key"])
    assert "stub-a" not in text


def test_f06_secrets_in_urls_are_masked_when_shown() -> None:
    assert mask_url("http://me:pw@host:5000/v1?key=abc&n=2#frag") == "http://***@host:5000/v1?key=***&n=***"
    assert mask_url("http://host:5000/v1") == "http://host:5000/v1"
    assert mask_url("http://host/?secretvalue") == "http://host/?***"
    assert mask_url("http://[bad?key=abc") == "http://[bad"
    assert mask_url("http://u:p@[bad/x?key=abc") == "http://***@[bad/x"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_masking_never_raises_and_masking_again_changes_nothing(text: str) -> None:
    once = mask_secrets(text, ["seed"])
    assert mask_secrets(once, ["seed"]) == once
    mask_url(text)


@pytest.mark.parametrize("unit", ["a.", "sk-", "\\", "?a", "key=", "'api_key':'", "Bearer ", "Cookie: ", "x://", "authorization:"])
def test_a_hostile_long_line_takes_no_longer_per_character_than_a_short_one(unit: str) -> None:
    def spent_s(times: int) -> float:
        text = "key " + unit * times
        began = time.process_time()
        mask_secrets(text)
        return time.process_time() - began

    assert spent_s(40_000) < max(0.5, 40 * spent_s(4_000))
