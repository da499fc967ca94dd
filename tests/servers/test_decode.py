"""Dialects of single events and whole answers: field cases and shapes that only a hostile or careless server sends."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.delta import Delta, PromptProgress, StreamError, TextPart
from sparktui.core.events import Chunk, encode_event
from sparktui.core.sse import SseEvent
from sparktui.servers.registry import adapter_for
from tests.servers.captures import FIXTURES, capture, case_writes, deltas, one_event, replies, summary

OPENAI = adapter_for("openai")


def delta_event(**delta: object) -> dict[str, object]:
    return {"id": "c1", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def test_a12_events_without_choices() -> None:
    found = summary(deltas(OPENAI, case_writes("A12")))
    assert (found.text, found.figures.completion_tokens, found.finish_reason, found.garbled) == ("hi", 1, "stop", 0)


def test_a14_cumulative_usage_last_one_wins() -> None:
    found = deltas(OPENAI, case_writes("A14"))
    assert [delta.tokens_total for delta in found if delta.parts] == [1, 3, 6]
    assert summary(found).figures.completion_tokens == 6
    assert summary(found).figures.prompt_tokens == 9


def test_a16_error_in_band() -> None:
    found = summary(deltas(OPENAI, case_writes("A16")))
    assert (found.text, found.error) == ("partial", StreamError("backend went away"))


def test_a19_plain_answer_to_a_stream_request() -> None:
    delta = OPENAI.whole(case_writes("A19"))
    assert (delta.parts, delta.finish_reason, delta.done) == ((TextPart("content", "whole"),), "stop", True)
    assert delta.figures is not None
    assert delta.figures.completion_tokens == 1


def test_a21_bare_json_error() -> None:
    delta = OPENAI.whole(case_writes("A21"))
    assert delta.error == StreamError("request (19000 tokens) exceeds the context (16000)", "400")
    assert not delta.done


def test_a22_error_event_without_error_key() -> None:
    found = summary(deltas(OPENAI, case_writes("A22")))
    assert found.error == StreamError("bad value", "400")


def test_a26_empty_finish_reason_is_none() -> None:
    found = deltas(OPENAI, case_writes("A26"))
    assert [delta.finish_reason for delta in found] == [None, None, None, "stop", None]
    assert summary(found).text == "one two three"
    assert one_event(OPENAI, {"choices": [{"delta": {}, "finish_reason": "end_turn"}]}).finish_reason == "end_turn"
    assert one_event(OPENAI, {"choices": [{"delta": {}, "finish_reason": {"type": "length"}}]}).finish_reason == "length"


def test_a27_reasoning_under_either_name_once() -> None:
    found = summary(deltas(OPENAI, case_writes("A27")))
    assert (found.reasoning, found.text) == ("think!", "answer")


def test_a28_tool_calls_only() -> None:
    found = deltas(OPENAI, case_writes("A28"))
    parts = [part for delta in found for part in delta.parts]
    assert parts == [TextPart("tool", "f ", "f"), TextPart("tool", "{}")]
    assert (summary(found).finish_reason, summary(found).figures.completion_tokens) == ("tool_calls", 9)


def test_a33_progress_is_neither_text_nor_figures() -> None:
    found = deltas(OPENAI, case_writes("A33"))
    progress = [delta.progress for delta in found if delta.progress]
    assert progress[0] == PromptProgress(300, 900, 0, 0.3)
    assert [item.processed for item in progress] == [300, 600, 900]
    assert all(not delta.parts and delta.figures is None and delta.tokens_total is None for delta in found if delta.progress)
    assert summary(found).text == "go"


def test_a43_broken_event_is_garbled_and_the_rest_kept() -> None:
    found = summary(deltas(OPENAI, case_writes("A43", "broken")))
    assert (found.text, found.garbled, found.error) == ("ab", 1, None)


def test_a43_web_page_is_no_api() -> None:
    delta = OPENAI.whole(case_writes("A43", "html"))
    assert delta.garbled
    assert delta.error is not None
    assert "not an API" in delta.error.message


def test_a46_other_choices_stay_apart() -> None:
    found = deltas(OPENAI, case_writes("A46"))
    assert summary(found).text == "ab"
    assert [delta.other_choices for delta in found if delta.other_choices] == [((1, "X"),)]
    assert not any(delta.invented for delta in found)


def test_llamacpp_progress_events() -> None:
    found = deltas(OPENAI, replies(FIXTURES / "llamacpp-b11434/replies/errors-and-options.jsonl")["return_progress_stream"].body)
    assert [delta.progress.processed for delta in found if delta.progress] == [0, 987, 1499, 1503]
    first_text = next(index for index, delta in enumerate(found) if delta.parts)
    assert all(delta.progress is None for delta in found[first_text:])


def test_llamacpp_timings_alone_count_the_tokens() -> None:
    found = summary(deltas(OPENAI, replies(FIXTURES / "llamacpp-b11434/replies/errors-and-options.jsonl")["no_include_usage_stream"].body))
    assert found.figures.completion_tokens == 4
    assert found.figures.server_tok_s == pytest.approx(57.00171)
    assert found.done


def test_one_token_has_no_rate() -> None:
    found = summary(deltas(OPENAI, replies(FIXTURES / "llamacpp-b11434/replies/errors-and-options.jsonl")["max_tokens_1_stream"].body))
    assert (found.figures.completion_tokens, found.figures.server_tok_s, found.figures.decode_s) == (1, None, None)


def test_whole_answers_of_llamacpp_and_tabbyapi() -> None:
    llama = OPENAI.whole(replies(FIXTURES / "llamacpp-b11434/replies/errors-and-options.jsonl")["non_stream"].body)
    assert llama.parts[0].kind == "content"
    assert llama.figures is not None
    assert llama.figures.draft_proposed is None
    tabby = OPENAI.whole(capture(FIXTURES / "tabbyapi-pr452/streams/nonstream-chat-usage.jsonl").body)
    assert tabby.figures is not None
    assert (tabby.figures.draft_accepted, tabby.figures.draft_proposed, tabby.figures.server_tok_s) == (70, 110, 58.68)
    silent = OPENAI.whole(capture(FIXTURES / "tabbyapi-e632af4/streams/nonstream-chat-no-usage-option.jsonl").body)
    assert (silent.figures, silent.finish_reason) == (None, "stop")


def test_whole_answer_without_choices_is_an_error() -> None:
    task = OPENAI.whole(b'{"status":true,"task_id":"t1"}')
    assert task.error is not None
    assert "task_id" in task.error.message
    for body in (b"", b"[]", b"7", b"oops"):
        assert OPENAI.whole(body).error is not None


def test_lm_studio_answers_200_to_unknown_paths() -> None:
    delta = OPENAI.whole((FIXTURES / "lmstudio/unexpected_endpoint_200.json").read_bytes())
    assert delta.error == StreamError("Unexpected endpoint or method. (GET /api/version)")


@pytest.mark.parametrize("data", ["", " ", "null", '""', "\n"])
def test_empty_data_is_nothing(data: str) -> None:
    assert OPENAI.decode(SseEvent("", data)) == Delta()


@pytest.mark.parametrize("data", ["{", '{"choices":[{"ind', "hello", "[1]", "7", "true", '"text"', "[DONE", "{'a': 1}", "[" * 100_000])
def test_unreadable_data_is_garbled(data: str) -> None:
    assert OPENAI.decode(SseEvent("", data)) == Delta(garbled=True)


def test_done_with_blanks_and_foreign_events() -> None:
    assert OPENAI.decode(SseEvent("", " [DONE] ")).done
    assert OPENAI.decode(SseEvent("ping", '{"type": "ping"}')) == Delta()
    assert OPENAI.decode(SseEvent("error", "it broke")).error == StreamError("it broke")
    assert OPENAI.decode(SseEvent("error", '{"error": {"message": "no", "code": 5}}')).error == StreamError("no", "5")


def test_error_beside_text_keeps_both() -> None:
    delta = one_event(
        OPENAI, {"error": {"code": 502, "message": "gone"}, "choices": [{"delta": {"content": "x"}, "finish_reason": "error"}]}
    )
    assert (delta.parts, delta.error, delta.finish_reason) == ((TextPart("content", "x"),), StreamError("gone", "502"), "error")


def test_null_error_is_none() -> None:
    for value in (None, {}, "", False, []):
        assert one_event(OPENAI, {**delta_event(content="x"), "error": value}).error is None


def test_end_of_reasoning_holds_both_kinds_in_order() -> None:
    delta = one_event(OPENAI, delta_event(content="so", reasoning_content="hm"))
    assert delta.parts == (TextPart("reasoning", "hm"), TextPart("content", "so"))


def test_text_in_odd_places() -> None:
    assert one_event(OPENAI, delta_event(content=[{"type": "text", "text": "a"}, {"text": "b"}, 3])).parts == (TextPart("content", "ab"),)
    assert one_event(OPENAI, delta_event(content=None, refusal="I will not")).parts == (TextPart("content", "I will not"),)
    assert one_event(OPENAI, {"choices": [{"text": "t", "index": 0}], "model_name": "n"}).model == "n"
    legacy = one_event(OPENAI, delta_event(function_call={"name": "f", "arguments": '{"a":1}'}))
    assert legacy.parts == (TextPart("tool", 'f {"a":1}', "f"),)
    second = one_event(OPENAI, delta_event(tool_calls=[{"index": 1, "function": {"name": "g", "arguments": {"a": 1}}}]))
    assert second.parts == (TextPart("tool", '\ng {"a":1}', "g"),)


def test_blank_text_is_text() -> None:
    assert one_event(OPENAI, delta_event(content=" ")).parts == (TextPart("content", " "),)
    assert one_event(OPENAI, delta_event(content="0")).parts == (TextPart("content", "0"),)


def test_unpaired_surrogates_become_replacement_characters_that_a_journal_can_hold() -> None:
    delta = OPENAI.decode(SseEvent("", '{"choices":[{"delta":{"content":"a\\ud83d\\ude00b\\ud83d"}}]}'))
    (part,) = delta.parts
    assert part.text == "a😀b\ufffd"
    assert encode_event(Chunk(run_id="r", n=1, kind="content", text=part.text))


def test_nan_in_an_event_does_not_lose_its_text() -> None:
    delta = OPENAI.decode(SseEvent("", '{"choices":[{"delta":{"content":"x"}}],"timings":{"predicted_n":3,"predicted_ms":NaN}}'))
    assert delta.parts == (TextPart("content", "x"),)
    assert delta.figures is not None
    assert (delta.figures.completion_tokens, delta.figures.decode_s) == (3, None)


def test_request_ids_keep_their_form_unless_a_log_shows_them_bare() -> None:
    ids = {
        "chatcmpl-" + "ab12" * 8: "ab12" * 8,
        "cmpl-" + "ab12" * 8: "ab12" * 8,
        "chatcmpl-417": "chatcmpl-417",
        "chatcmpl-" + "AB12" * 8: "chatcmpl-" + "AB12" * 8,
        "gen-1796": "gen-1796",
        "": "",
    }
    assert {raw: one_event(OPENAI, {"id": raw, "choices": []}).request_id for raw in ids} == ids


KEYS = [
    "choices",
    "delta",
    "content",
    "index",
    "usage",
    "timings",
    "error",
    "metrics",
    "message",
    "tool_calls",
    "function",
    "stats",
    "reasoning",
    "finish_reason",
    "sglext",
    "prompt_progress",
    "id",
    "model",
    "detail",
    "completion_tokens",
    "prompt_n",
    "predicted_n",
]
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)


@settings(max_examples=200, deadline=None)
@given(value=JSON_VALUES, name=st.sampled_from(["", "error", "ping"]))
def test_no_shape_of_json_makes_it_raise(value: object, name: str) -> None:
    text = json.dumps(value)
    delta = OPENAI.decode(SseEvent(name, text))
    assert isinstance(msgspec.json.encode(delta), bytes)
    OPENAI.whole(text.encode())
    assert all(part.text for part in delta.parts)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=60))
def test_no_bytes_make_whole_raise(data: bytes) -> None:
    assert OPENAI.whole(data).error is not None or OPENAI.whole(data).parts == ()
