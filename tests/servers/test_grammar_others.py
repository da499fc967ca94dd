"""vLLM, SGLang and Ollama logs: fields by name in every wording, intervals kept apart from requests."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.log.logrecord import Generation
from sparktui.core.scrub import mask_secrets
from sparktui.errors import UsageError
from sparktui.servers.grammar import GRAMMARS, LogReader
from tests.servers.logs import FIXTURES, case_file, generations, in_pieces, records, records_in


def log(name: str) -> list[Generation]:
    return generations(records_in(FIXTURES / name))


def accepted(name: str) -> list[Generation]:
    return [one for one in log(name) if one.draft_proposed is not None]


def test_vllm_current_lines() -> None:
    found = accepted("vllm/log_current.log")
    assert len(found) == 3
    for one in found:
        assert (one.draft_accepted, one.draft_proposed, one.mean_acceptance_length) == (48, 88, 3.18)
        assert one.acceptance_rate == pytest.approx(0.545, abs=0.001)
        assert one.scope == "interval"
        assert one.server_tok_s is None, "the throughputs of this line are diluted by quiet time"
        assert one.note == "engine 000"


def test_vllm_engine_lines_count_requests() -> None:
    engine = [one for one in log("vllm/log_current.log") if one.draft_proposed is None]
    assert [(one.running, one.waiting) for one in engine] == [(1, 0), (3, 1), (0, 0), (0, 0)]
    assert engine[1].server_tok_s == 42.5


def test_vllm_old_wordings() -> None:
    for name in ("vllm/log_2025_05_to_2025_09.log", "vllm/log_2025_04.log"):
        found = accepted(name)
        assert found
        for one in found:
            assert (one.draft_accepted, one.draft_proposed) == (48, 88)
            assert one.acceptance_rate == pytest.approx(48 / 88)
    assert [one.mean_acceptance_length for one in accepted("vllm/log_2025_04.log")] == [None, None]


def test_vllm_v0_is_cumulative_and_counts_emitted_tokens() -> None:
    (one,) = accepted("vllm/log_v0_engine.log")
    assert (one.scope, one.draft_accepted, one.draft_proposed, one.verify_steps) == ("lifetime", 48, 88, 22)


def test_vllm_forks() -> None:
    found = accepted("vllm/log_forks.log")
    assert [(one.draft_accepted, one.draft_proposed) for one in found] == [(48, 88)] * 3 + [(0, 0)]
    assert [one.mean_acceptance_length for one in found] == [3.18, 3.18, 3.18, None]
    assert found[3].acceptance_rate is None
    assert "DiffusionDecoding" in records_in(FIXTURES / "vllm/log_forks.log")[-1].text


def test_vllm_data_parallel_lines_belong_to_the_engine_above() -> None:
    assert [(one.note, one.draft_accepted) for one in accepted("vllm/log_dp2.log")] == [("engine 000", 48), ("engine 001", 20)]
    assert log("vllm/log_dp2.log")[-1].note == "2 engines aggregated"


def test_b24_nan_is_no_figure() -> None:
    (one,) = generations(records(case_file("B24", "log.txt")))
    assert (one.draft_accepted, one.draft_proposed, one.acceptance_rate, one.mean_acceptance_length) == (0, 0, None, None)


@pytest.mark.parametrize("name", ["log_current", "log_2025_10_to_2026_04", "log_before_2025_10", "log_mid_2025_dot"])
def test_sglang_length_is_the_same_in_every_version(name: str) -> None:
    decode = [one for one in log(f"sglang/{name}.log") if one.mean_acceptance_length is not None]
    assert decode
    assert {one.mean_acceptance_length for one in decode} - {4.6} == {3.18}
    assert {one.scope for one in decode} == {"interval"}
    assert all(one.draft_accepted is None and one.draft_proposed is None for one in decode)


def test_sglang_current_lines() -> None:
    prefill, *decode = log("sglang/log_current.log")
    assert (prefill.new_tokens, prefill.cached_tokens, prefill.prefill_tok_s, prefill.note) == (37, 32, 210.44, "prefill")
    assert [one.acceptance_rate for one in decode] == [0.55, 0.55, 0.55, 0.55, None]
    assert [(one.running, one.waiting) for one in decode] == [(1, 0), (3, 2), (1, 0), (1, 0), (1, 0)]
    assert decode[1].server_tok_s == 201.77


def test_b21_sglang_rates_that_are_none() -> None:
    first, second = generations(records(case_file("B21", "log.txt")))
    assert first.mean_acceptance_length == 1.0
    assert "counts the bonus token" in first.note
    assert second.acceptance_rate is None
    assert "above 1" in second.note


def test_ollama_runner_and_its_child() -> None:
    mlx, child = log("ollama/server_spec.log")
    assert (mlx.draft_accepted, mlx.draft_proposed, mlx.acceptance_rate, mlx.verify_steps) == (78, 120, 0.65, None)
    assert mlx.mean_acceptance_length is None
    assert "40 rounds" in mlx.note
    assert (child.task, child.draft_accepted, child.draft_proposed, child.mean_acceptance_length) == ("12", 48, 88, 3.18)
    assert mlx.scope == child.scope == "request"


def test_b20_five_engines() -> None:
    for want in json.loads(case_file("B20", "lines.json")):
        (one,) = generations(records(want["line"].encode() + b"\n"))
        assert (one.draft_accepted, one.draft_proposed) == (want["accepted"], want["proposed"]), want["engine"]
        assert one.acceptance_rate == pytest.approx(want["rate"], abs=1e-4)
        assert one.mean_acceptance_length == want["mean_len"]


def test_b26_a_tiny_sample_keeps_its_counts_so_that_groups_can_pool() -> None:
    case = json.loads(case_file("B26", "lines.json"))
    line = (
        "2026-01-01 00:00:00.000 INFO:     Metrics: 1 tokens generated in 1.0 seconds (1.0 T/s, Draft: {} / {} tokens accepted (0.00%))\n"
    )
    found = generations(records("".join(line.format(*run) for run in case["runs"]).encode()))
    pooled = sum(one.draft_accepted or 0 for one in found) / sum(one.draft_proposed or 0 for one in found)
    assert pooled == pytest.approx(case["pooled"], abs=1e-3)


@pytest.mark.parametrize("path", [*sorted(FIXTURES.glob("*/log*.log")), FIXTURES / "ollama/server_spec.log"], ids=lambda path: path.stem)
@settings(max_examples=5, deadline=None)
@given(cuts=st.lists(st.integers(0, 3_000), max_size=12))
def test_random_pieces_give_the_same_records(path: object, cuts: list[int]) -> None:
    data = FIXTURES.joinpath(str(path)).read_bytes()
    assert in_pieces(data, cuts) == records(data)


def test_a_grammar_chosen_by_hand_reads_only_its_own_lines() -> None:
    line = b"2026-11-30 18:06:50.971 | INFO     | Metrics: 64 tokens generated in 2.5 seconds (25.6 T/s)\n"
    assert len(generations(records(line, "tabbyapi"))) == 1
    for grammar in set(GRAMMARS) - {"auto", "tabbyapi"}:
        found = records(line, grammar)
        assert generations(found) == []
        assert "Metrics: 64" in found[0].text
    with pytest.raises(UsageError, match="no log grammar"):
        LogReader("exllama")


def test_unknown_lines_stay_visible() -> None:
    found = records(b"anything\n\x1b[31mred\x1b[0m\n\x07bell\n")
    assert [record.text for record in found][:2] == ["anything", "red"]
    assert found[2].text.endswith("bell")
    assert found[2].text.isprintable()


def test_a_very_long_record_is_shortened_and_says_so() -> None:
    (record,) = records(b"x" * 20_000 + b"\n")
    assert len(record.text) < 8_300
    assert "11,808 more characters" in record.text


def test_known_secrets_are_masked_wherever_they_stand() -> None:
    reader = LogReader(secrets=("hunter2hunter2",))
    (record,) = reader.feed(b"odd place for hunter2hunter2, is it not\n")
    assert "hunter2" not in record.text


SECRETS = [
    "Your API key is: {}", "Authorization: Bearer {}", "'x-api-key': '{}'", "x-admin-key: {}", "--hf-token {}", "Cookie: session={}",
    "Basic {}", "Proxy-Authorization: Basic {}", "api_key={}", "https://user:{}@host/x", "password: {}", "GET /x?token={}",
    "client_secret={}",
]  # fmt: skip


@pytest.mark.parametrize("form", SECRETS)
def test_no_form_of_secret_that_masking_knows_escapes_the_quick_look_before_it(form: str) -> None:
    line = f"10 tokens {form.format('Zx81Qq77Lm55Vv33')}"
    (record,) = records(line.encode() + b"\n")
    assert record.text == mask_secrets(line)


def test_keys_that_show_what_they_are_are_masked() -> None:
    for key in (
        "sk-abcdefghijklmnop12",
        "hf_abcdefghijklmnop12",
        "ghp_abcdefghijklmnop12",
        "glpat-abcdefghijklmnop12",
        "xoxb-abcdefghijklmnop12",
    ):
        (record,) = records(f"said {key} aloud\n".encode())
        assert record.text == mask_secrets(f"said {key} aloud")
        assert key not in record.text


def test_a_key_longer_than_the_console_is_wide_is_masked_whole() -> None:
    key = "a1" * 60
    wrapped = f"2026-11-30 18:04:29.949 INFO:     Your API key is: \n{key[:80]}\n{key[80:]}\n"
    (record,) = records(wrapped.encode())
    assert "a1a1" not in record.text
