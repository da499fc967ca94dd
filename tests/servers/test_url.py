"""Base URLs in every form, and what may be shown of them."""

from __future__ import annotations

import json

import pytest

from sparktui.errors import UsageError
from sparktui.servers.url import BaseUrl, is_private_host, without_secrets
from tests.servers.captures import FIXTURES

CHAT = "http://h:1/v1/chat/completions"


def test_a41_base_url_forms() -> None:
    forms = json.loads((FIXTURES / "cases/A41/inputs.json").read_text("utf-8"))
    assert {text: BaseUrl.parse(text).chat_url for text in forms} == forms


@pytest.mark.parametrize(
    ("text", "chat_url", "root", "shown"),
    [
        ("  http://h:1//v1// ", CHAT, "http://h:1", "http://h:1"),
        ("http://h:1/v1/v1", CHAT, "http://h:1", "http://h:1"),
        ("HTTP://h:1/v1/models", CHAT, "http://h:1", "http://h:1"),
        ("http://h:1/v1/completions", CHAT, "http://h:1", "http://h:1"),
        ("http://h:1#top", CHAT, "http://h:1", "http://h:1"),
        ("localhost:5000/v1", "http://localhost:5000/v1/chat/completions", "http://localhost:5000", "http://localhost:5000"),
        ("http://h:3000/api", "http://h:3000/api/chat/completions", "http://h:3000", "http://h:3000/api"),
        ("http://h:3000/api/", "http://h:3000/api/chat/completions", "http://h:3000", "http://h:3000/api"),
        ("http://h:3000/api/models", "http://h:3000/api/chat/completions", "http://h:3000", "http://h:3000/api"),
        ("http://h:3000/api/chat/completions", "http://h:3000/api/chat/completions", "http://h:3000", "http://h:3000/api"),
        ("http://h/ui/api", "http://h/ui/api/chat/completions", "http://h/ui", "http://h/ui/api"),
        ("http://h:11434/api", "http://h:11434/v1/chat/completions", "http://h:11434", "http://h:11434"),
        ("http://h:11434/api/chat", "http://h:11434/v1/chat/completions", "http://h:11434", "http://h:11434"),
        ("http://h/llm/v1", "http://h/llm/v1/chat/completions", "http://h/llm", "http://h/llm"),
        ("http://h/llm", "http://h/llm/v1/chat/completions", "http://h/llm", "http://h/llm"),
        ("https://h/api/v1", "https://h/api/v1/chat/completions", "https://h/api", "https://h/api/v1"),
        ("http://h:1234/api/v0", "http://h:1234/api/v0/chat/completions", "http://h:1234/api", "http://h:1234/api/v0"),
        ("https://h/x/openai/chat/completions", "https://h/x/openai/chat/completions", "https://h/x/openai",
         "https://h/x/openai/chat/completions"),
        ("http://[fe80::1]:1/v1", "http://[fe80::1]:1/v1/chat/completions", "http://[fe80::1]:1", "http://[fe80::1]:1"),
        ("[::1]:8080", "http://[::1]:8080/v1/chat/completions", "http://[::1]:8080", "http://[::1]:8080"),
        ("gpu.example.com", "https://gpu.example.com/v1/chat/completions", "https://gpu.example.com", "https://gpu.example.com"),
        ("gpu.example.com:5000", "http://gpu.example.com:5000/v1/chat/completions", "http://gpu.example.com:5000",
         "http://gpu.example.com:5000"),
        ("gpu.example.com:443", "https://gpu.example.com:443/v1/chat/completions", "https://gpu.example.com:443",
         "https://gpu.example.com:443"),
        ("192.168.1.7", "http://192.168.1.7/v1/chat/completions", "http://192.168.1.7", "http://192.168.1.7"),
    ],
)  # fmt: skip
def test_forms(text: str, chat_url: str, root: str, shown: str) -> None:
    base = BaseUrl.parse(text)
    assert (base.chat_url, base.root, base.shown) == (chat_url, root, shown)
    again = BaseUrl.parse(base.shown)
    assert (again.chat_url, again.root, again.shown) == (chat_url, root, shown)


def test_f06_secrets_are_used_and_never_shown() -> None:
    base = BaseUrl.parse("http://user:pw@h:1/v1?key=SPK-CANARY")
    assert base.chat_url == "http://user:pw@h:1/v1/chat/completions?key=SPK-CANARY"
    assert base.at("/props") == "http://user:pw@h:1/props?key=SPK-CANARY"
    assert base.at("/x?a=1") == "http://user:pw@h:1/x?a=1&key=SPK-CANARY"
    assert base.shown == "http://h:1"
    assert base.host == "h"
    assert without_secrets("https://user:pw@h/login?token=SPK-CANARY#x") == "https://h/login"
    assert without_secrets("/login?next=SPK-CANARY") == "/login"


@pytest.mark.parametrize(
    "text",
    ["", "   ", "http://", "http:///v1", "ftp://user:SPK-CANARY@h", "unix:///x", "http://u:SPK-CANARY@h:99999", "http://h:0", "http://h:port",
     "http://a b", "http://[::1", "::1:5000", "http://h/\x1b[31m"],
)  # fmt: skip
def test_unusable_base_urls_say_why_without_secrets(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        BaseUrl.parse(text)
    assert caught.value.hint
    assert "SPK-CANARY" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_where_models_are_listed() -> None:
    paths = {text: BaseUrl.parse(text).models_path for text in ("http://h:1", "http://h/api", "http://h/llm/v1", "http://h/api/v1")}
    assert paths == {
        "http://h:1": "/v1/models",
        "http://h/api": "/api/models",
        "http://h/llm/v1": "/v1/models",
        "http://h/api/v1": "/v1/models",
    }


PRIVATE = [
    "localhost",
    "LOCALHOST.",
    "127.0.0.1",
    "::1",
    "[::1]",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.0.9",
    "fe80::1%eth0",
    "fd00::1",
    "spark",
    "spark.local",
    "a.localhost",
    "0.0.0.0",
]


@pytest.mark.parametrize("host", PRIVATE)
def test_private_hosts(host: str) -> None:
    assert is_private_host(host)


@pytest.mark.parametrize(
    "host", ["", "example.com", "8.8.8.8", "172.32.0.1", "2001:4860:4860::8888", "local.example", "192.168.0.9.example.com"]
)
def test_public_hosts(host: str) -> None:
    assert not is_private_host(host)
