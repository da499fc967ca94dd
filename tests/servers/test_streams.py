"""Every captured and composed stream, however its bytes are cut, against the figures its INDEX.md gives."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.servers.registry import adapter_for
from tests.servers.captures import FIXTURES, capture, deltas, random_cuts, stream_body, summary, table

OPENAI = adapter_for("openai")
NOT_CHAT = {"api_v1_chat_events", "generate_stream"}
STREAMS = sorted(
    path
    for pattern in ("*/streams/*.jsonl", "*/*.sse")
    for path in FIXTURES.glob(pattern)
    if not path.stem.startswith("nonstream") and path.stem not in NOT_CHAT
)
LLAMACPP = FIXTURES / "llamacpp-b11434"
TABBY = FIXTURES / "tabbyapi-e632af4"
PR452 = FIXTURES / "tabbyapi-pr452"


def short_name(path: Path) -> str:
    return f"{path.relative_to(FIXTURES).parts[0]}/{path.stem}"


@pytest.fixture(scope="module")
def whole() -> dict[Path, list]:
    return {path: deltas(OPENAI, stream_body(path)) for path in STREAMS}


def test_every_stream_fixture_is_there() -> None:
    assert len(STREAMS) >= 69


@pytest.mark.parametrize("path", STREAMS, ids=short_name)
def test_byte_by_byte_and_random_cuts_give_the_same_deltas(path: Path, whole: dict[Path, list]) -> None:
    body = stream_body(path)
    assert deltas(OPENAI, body, list(range(1, len(body)))) == whole[path]
    assert deltas(OPENAI, body, random_cuts(body, seed=len(body))) == whole[path]
    assert not any(delta.garbled for delta in whole[path])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), which=st.integers(0, len(STREAMS) - 1))
def test_any_cuts_give_the_same_deltas(seed: int, which: int) -> None:
    body = stream_body(STREAMS[which])
    assert deltas(OPENAI, body, random_cuts(body, seed)) == deltas(OPENAI, body)


@pytest.mark.parametrize("path", STREAMS, ids=short_name)
def test_every_kind_decodes_the_same(path: Path, whole: dict[Path, list]) -> None:
    for kind in ("tabbyapi", "llamacpp", "vllm", "sglang", "ollama", "lmstudio", "demo"):
        assert deltas(adapter_for(kind), stream_body(path)) == whole[path]


@pytest.mark.parametrize("row", table(LLAMACPP / "INDEX.md", "streams/"), ids=lambda row: row[0])
def test_llamacpp_streams_give_their_index_figures(row: list[str]) -> None:
    name, _, events, chunks, tokens, draft, rate, finish, _ = row
    found = summary(deltas(OPENAI, stream_body(LLAMACPP / "streams" / f"{name}.jsonl")))
    figures = found.figures
    assert (found.events, found.chunks) == (int(events), int(chunks))
    assert found.finish_reason == (None if finish == "–" else finish)
    assert figures.completion_tokens == (None if tokens == "–" else int(tokens))
    drafted = None if draft == "–" else f"{figures.draft_accepted} / {figures.draft_proposed}"
    assert drafted == (None if draft == "–" else draft)
    assert (figures.acceptance_source, figures.acceptance_scope) == ((None, None) if draft == "–" else ("timings", "request"))
    if rate == "–":
        assert figures.server_tok_s is None
    else:
        assert figures.server_tok_s == pytest.approx(float(rate), abs=0.051)
        assert figures.prompt_tokens == (figures.new_tokens or 0) + (figures.cached_tokens or 0)


def log_lines(index: Path) -> dict[str, str]:
    found = re.findall(r"^- (\S+) \(`[0-9a-f]+…`\): (\d.*)$", index.read_text("utf-8"), flags=re.MULTILINE)
    return dict(found)


@pytest.mark.parametrize("folder", [TABBY, PR452], ids=lambda folder: folder.name)
def test_tabbyapi_streams_give_their_index_figures(folder: Path) -> None:
    logged = log_lines(folder / "INDEX.md")
    checked = 0
    for name, _, events, chunks, *_ in table(folder / "INDEX.md", "streams/"):
        if name.startswith("nonstream"):
            continue
        found = summary(deltas(OPENAI, stream_body(folder / "streams" / f"{name}.jsonl")))
        others = 28 if name == "n2-two-choices" else 0
        assert (name, found.events, found.chunks + others) == (name, int(events), int(chunks))
        figures = found.figures
        if figures.completion_tokens is None or name not in logged:
            continue
        line = logged[name]
        assert line.startswith(f"{figures.completion_tokens} tokens generated in {figures.total_s:g} seconds"), name
        rate = re.search(r"at (\S+) T/s, Generate: (\S+) T/s", line)
        assert rate is not None
        assert figures.prefill_tok_s == (None if rate[1] == "Indeterminate" else float(rate[1]))
        assert figures.server_tok_s == float(rate[2])
        queue = re.search(r"Queue: (\S+) s", line)
        assert queue is not None
        assert figures.queue_s == pytest.approx(float(queue[1]), abs=0.016)
        checked += 1
    assert checked == (19 if folder == TABBY else 2)


def test_newer_tabbyapi_puts_draft_and_cache_counts_into_usage() -> None:
    found = summary(deltas(OPENAI, stream_body(PR452 / "streams/code-draft-usage.jsonl"))).figures
    assert (found.draft_accepted, found.draft_proposed, found.acceptance_source) == (648, 714, "usage")
    assert (found.cached_tokens, found.new_tokens, found.prompt_tokens) == (0, 36, 36)
    nothing_drafted = summary(deltas(OPENAI, stream_body(PR452 / "streams/max-tokens-40.jsonl"))).figures
    assert (nothing_drafted.draft_accepted, nothing_drafted.draft_proposed, nothing_drafted.acceptance_source) == (None, None, None)
    assert nothing_drafted.completion_tokens == 34


def test_timings_per_token_count_every_event_exactly() -> None:
    found = deltas(OPENAI, stream_body(LLAMACPP / "streams/timings-per-token-draft-self8.jsonl"))
    chunks = [delta for delta in found if delta.parts]
    assert [delta.tokens_total for delta in chunks] == list(range(1, 25))
    assert [delta.figures.draft_accepted for delta in chunks[:3]] == [None, 4, 4]
    assert chunks[0].figures.server_tok_s is None
    assert chunks[0].figures.decode_s is None


def test_continuous_usage_counts_every_event_exactly() -> None:
    found = deltas(OPENAI, stream_body(FIXTURES / "vllm/chat_spec_continuous_metrics.sse"))
    totals = [delta.tokens_total for delta in found if delta.parts]
    accepted = [4, 2, 0, 3, 1, 4, 0, 2, 4, 3, 1, 0, 2, 4, 4, 0, 1, 3, 2, 4, 0, 4]
    steps = [later - earlier for earlier, later in pairwise(totals)]
    assert totals[0] == 1
    assert steps == [count + 1 for count in accepted]
    assert found[0].tokens_total == 0
    assert not found[0].parts


@pytest.mark.parametrize(
    ("name", "chunks", "tokens", "draft", "steps", "finish", "done"),
    [
        ("vllm/chat_plain", 24, 25, None, None, "stop", True),
        ("vllm/chat_spec_continuous_metrics", 23, 71, (48, 88), 22, "length", True),
        ("vllm/chat_spec_detailed_only", 23, 71, (48, 88), 22, "length", True),
        ("vllm/chat_reasoning", 26, 29, None, None, "stop", True),
        ("vllm/chat_reasoning_legacy", 26, 29, None, None, "stop", True),
        ("vllm/chat_stream_interval8", 21, 161, None, None, "length", True),
        ("vllm/chat_error_mid", 20, None, None, None, None, True),
        ("sglang/chat_spec_sglext", 23, 71, (48, 88), 22, "length", True),
        ("sglang/chat_plain_no_usage", 22, None, None, None, "stop", True),
        ("sglang/chat_reasoning", 20, 23, None, None, "stop", True),
        ("sglang/chat_error_mid", 20, None, None, None, None, True),
        ("ollama/v1_chat_usage", 28, 31, None, None, "stop", True),
        ("ollama/v1_chat_no_usage", 28, None, None, None, "stop", True),
        ("ollama/v1_chat_error_swallowed", 21, None, None, None, None, False),
        ("lmstudio/v1_chat_usage", 24, 24, None, None, "stop", True),
        ("lmstudio/v1_chat_no_usage", 24, None, None, None, "stop", True),
        ("openwebui/stream_sources_first", 22, 23, None, None, "stop", True),
        ("openwebui/stream_arena", 22, 23, None, None, "stop", True),
        ("openwebui/stream_ollama_backend", 28, 31, None, None, "stop", True),
        ("openwebui/stream_no_usage", 22, None, None, None, "stop", True),
        ("misc/openrouter", 20, 21, None, None, "stop", True),
        ("misc/llamaswap_loading", 22, 23, None, None, "stop", True),
        ("misc/litellm_usage", 20, 21, None, None, "stop", True),
        ("misc/tgi_usage", 21, 21, None, None, "length", True),
        ("misc/tgi_error_mid", 20, None, None, None, None, True),
    ],
)
def test_composed_streams_give_their_index_figures(
    *, name: str, chunks: int, tokens: int | None, draft: tuple[int, int] | None, steps: int | None, finish: str | None, done: bool
) -> None:
    found = summary(deltas(OPENAI, stream_body(FIXTURES / f"{name}.sse")))
    figures = found.figures
    assert (found.chunks, figures.completion_tokens, found.finish_reason, found.done) == (chunks, tokens, finish, done)
    accepted_of = None if figures.draft_proposed is None else (figures.draft_accepted, figures.draft_proposed)
    assert (accepted_of, figures.verify_steps) == (draft, steps)
    assert (found.error is not None) == ("error" in name and "swallowed" not in name)


def test_reasoning_and_answer_are_told_apart_under_both_names() -> None:
    new, old = (summary(deltas(OPENAI, stream_body(FIXTURES / f"vllm/{name}.sse"))) for name in ("chat_reasoning", "chat_reasoning_legacy"))
    assert new.figures.reasoning_tokens == 15
    assert (new.text, new.reasoning) == (old.text, old.reasoning)
    assert new.text.endswith("Twice")
    assert len(new.reasoning.split()) >= 13


def test_engines_betray_themselves_behind_gateways() -> None:
    kinds = {
        "tabbyapi-e632af4/streams/chat-short-usage.jsonl": "tabbyapi",
        "tabbyapi-e632af4/streams/chat-short-no-usage-option.jsonl": "tabbyapi",
        "llamacpp-b11434/streams/none-story-t0.jsonl": "llamacpp",
        "openwebui/stream_sources_first.sse": "vllm",
        "misc/llamaswap_loading.sse": "vllm",
        "sglang/chat_plain_no_usage.sse": "sglang",
        "ollama/v1_chat_no_usage.sse": "ollama",
    }
    assert {path: summary(deltas(OPENAI, stream_body(FIXTURES / path))).kinds for path in kinds} == {
        path: {kind} for path, kind in kinds.items()
    }


def test_tabbyapi_ids_are_the_ones_in_its_log() -> None:
    log = (TABBY / "logs/file-draft.log").read_text("utf-8")
    for name in ("story-draft-usage", "code-draft-usage", "chat-short-no-usage-option", "completions-usage"):
        (request_id,) = summary(deltas(OPENAI, stream_body(TABBY / f"streams/{name}.jsonl"))).ids
        assert f"Metrics (ID: {request_id}): " in log
    answer = OPENAI.whole(capture(TABBY / "streams/nonstream-chat-usage.jsonl").body)
    assert f"Metrics (ID: {answer.request_id}): " in log


def test_n2_keeps_the_second_choice_apart() -> None:
    found = deltas(OPENAI, stream_body(TABBY / "streams/n2-two-choices.jsonl"))
    second = "".join(text for delta in found for index, text in delta.other_choices if index == 1)
    first = summary(found)
    assert first.text.startswith("The lighthouse keeper")
    assert second.startswith("The lighthouse keeper")
    assert first.figures.completion_tokens == 242
    assert first.finish_reason == "stop"


def test_tool_call_is_one_part_with_its_name() -> None:
    found = deltas(OPENAI, stream_body(TABBY / "streams/tool-call.jsonl"))
    (part,) = [part for delta in found for part in delta.parts if part.kind == "tool"]
    assert (part.label, part.text) == ("get_weather", 'get_weather {"city": "Lisbon"}')


def test_open_webui_names_what_ollama_measured_and_no_acceptance() -> None:
    figures = summary(deltas(OPENAI, stream_body(FIXTURES / "openwebui/stream_ollama_backend.sse"))).figures
    assert figures.server_tok_s == pytest.approx(21.4)
    assert figures.decode_s == pytest.approx(1.44892)
    assert figures.load_s == pytest.approx(0.048210334)
    assert (figures.draft_accepted, figures.reasoning_tokens, figures.prefill_tok_s) == (None, None, None)


def test_arena_event_names_the_model_and_is_no_text() -> None:
    found = deltas(OPENAI, stream_body(FIXTURES / "openwebui/stream_arena.sse"))
    assert (found[0].model, found[0].parts, found[0].error) == ("demo-27b", (), None)
    sources = deltas(OPENAI, stream_body(FIXTURES / "openwebui/stream_sources_first.sse"))[0]
    assert (sources.parts, sources.error, sources.garbled) == ((), None, False)


def test_loading_text_of_llama_swap_is_invented() -> None:
    found = deltas(OPENAI, stream_body(FIXTURES / "misc/llamaswap_loading.sse"))
    invented = [delta.invented for delta in found]
    assert invented[:11] == [True] * 11
    assert not any(invented[11:])
    assert "".join(part.text for delta in found[:11] for part in delta.parts).startswith("━━━━━\nllama-swap loading model: demo")


def test_native_streams_of_other_protocols_give_no_false_text() -> None:
    for name in ("lmstudio/api_v1_chat_events", "sglang/generate_stream"):
        found = summary(deltas(OPENAI, stream_body(FIXTURES / f"{name}.sse")))
        assert (found.chunks, found.garbled) == (0, 0)
