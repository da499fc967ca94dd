"""Counting with a server's own tokenizer: what is posted, and what is read from the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sparktui.servers.base import Answer, Counting, Post
from sparktui.servers.counting import counted
from sparktui.servers.registry import ADAPTERS, adapter_for
from tests.servers.captures import FIXTURES
from tests.servers.dialogue import FASTAPI_404, NOTHING, PAGE, file_answer, json_answer

TOKENIZED = file_answer("llamacpp-b11434/endpoints/tokenize.json", "llama.cpp")
TEMPLATED = file_answer("llamacpp-b11434/endpoints/apply-template.json", "llama.cpp")


def play(counting: Counting, answers: Mapping[str, Answer], default: Answer = FASTAPI_404) -> tuple[int | None, list[Post]]:
    posted: list[Post] = []
    try:
        post = next(counting)
        while True:
            posted.append(post)
            post = counting.send(answers.get(post.path, default))
    except StopIteration as stop:
        return stop.value, posted


def test_llamacpp_text_and_chat() -> None:
    assert (FIXTURES / "llamacpp-b11434/endpoints/tokenize.json").read_bytes() == b'{"tokens":[9259,993,236764,64222,236761]}'
    adapter = adapter_for("llamacpp")
    found, posted = play(adapter.count_tokens("Hello there, keeper.", "m"), {"/tokenize": TOKENIZED})
    assert (found, [post.path for post in posted]) == (5, ["/tokenize"])
    assert posted[0].body == {"content": "Hello there, keeper.", "add_special": False, "parse_special": False}
    found, posted = play(adapter.count_tokens("Hello there.", "m", chat=True), {"/tokenize": TOKENIZED, "/apply-template": TEMPLATED})
    assert (found, [post.path for post in posted]) == (5, ["/apply-template", "/tokenize"])
    assert posted[1].body == {"content": "Hello there.\n\n", "add_special": True, "parse_special": True}


def test_an_older_llamacpp_has_no_template_to_apply() -> None:
    found, posted = play(adapter_for("llamacpp").count_tokens("Hello there.", "m", chat=True), {"/tokenize": TOKENIZED})
    assert found == 5
    assert posted[1].body == {"content": "Hello there.", "add_special": True, "parse_special": False}


@pytest.mark.parametrize("kind", ["tabbyapi", "demo"])
def test_tabbyapi_says_the_length(kind: str) -> None:
    answers = {"/v1/token/encode": json_answer({"tokens": [1, 2, 3], "length": 3})}
    found, posted = play(adapter_for(kind).count_tokens("a b c", "m"), answers)
    assert (found, posted[0].body["text"]) == (3, "a b c")
    _, posted = play(adapter_for(kind).count_tokens("a b c", "m", chat=True), answers)
    assert posted[0].body["text"] == [{"role": "user", "content": "a b c"}]


def test_vllm_says_the_count_and_wants_the_model() -> None:
    answers = {"/tokenize": json_answer({"count": 4, "max_model_len": 4096, "tokens": [1, 2, 3, 4]})}
    found, posted = play(adapter_for("vllm").count_tokens("a", "org/model"), answers)
    assert (found, posted[0].body) == (4, {"model": "org/model", "prompt": "a", "add_special_tokens": False})
    _, posted = play(adapter_for("vllm").count_tokens("a", "org/model", chat=True), answers)
    assert posted[0].body["messages"] == [{"role": "user", "content": "a"}]


@pytest.mark.parametrize("kind", ["openai", "sglang", "ollama", "lmstudio"])
def test_others_are_not_asked(kind: str) -> None:
    assert play(adapter_for(kind).count_tokens("a", "m"), {}) == (None, [])


@pytest.mark.parametrize("kind", sorted(ADAPTERS))
@pytest.mark.parametrize("answer", [FASTAPI_404, NOTHING, PAGE, json_answer([1, 2]), json_answer({"tokens": "many"}), json_answer({})])
def test_what_is_no_count_is_none(kind: str, answer: Answer) -> None:
    for chat in (False, True):
        assert play(adapter_for(kind).count_tokens("a", "m", chat=chat), {}, answer)[0] is None


@pytest.mark.parametrize(
    ("body", "name", "number"),
    [
        ({"length": 7}, "length", 7), ({"length": -1, "tokens": [1]}, "length", 1), ({"tokens": []}, "", 0),
        ({"count": True}, "count", None), ({"count": 3.0}, "count", 3),
    ],
)  # fmt: skip
def test_counts_are_whole_and_not_negative(body: dict[str, Any], name: str, number: int | None) -> None:
    assert counted(body, name) == number


def test_only_llamacpp_has_a_cache_to_switch_on() -> None:
    assert {kind: adapter.caching_params() for kind, adapter in ADAPTERS.items() if adapter.caching_params()} == {
        "llamacpp": {"cache_prompt": True}
    }
