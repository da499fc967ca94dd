from sparktui.core.records import RunRecord
from sparktui.report.definitions import definitions, page

DERIVED = {
    "ttft_s", "decode_s", "total_s", "client_tok_s", "client_tok_s_net", "tpot_s", "server_tok_s", "prefill_s", "prefill_tok_s", "queue_s",
    "completion_tokens", "prompt_tokens", "cached_tokens", "first_chunk_tokens", "chunks", "tokens_per_chunk", "gap_ms", "burstiness",
    "acceptance_rate", "draft_accepted", "draft_proposed", "verify_steps", "tokens_per_step", "drafted_per_step", "steps_per_chunk",
    "step_ms", "step_cost", "speedup", "memory", "connect_s",
}  # fmt: skip


def test_every_figure_of_a_record_is_defined() -> None:
    assert set(definitions()) >= DERIVED
    assert set(RunRecord.__struct_fields__) >= DERIVED


def test_every_definition_has_a_formula_and_a_meaning() -> None:
    for definition in definitions().values():
        assert definition.formula and not definition.formula.startswith("#")
        assert definition.meaning.endswith(".")


def test_formula_with_this_runs_numbers() -> None:
    rate = definitions()["client_tok_s"]
    values = {"completion_tokens": "794", "decode_s": "13.8 s"}
    assert rate.with_numbers(values.get) == "794 ÷ 13.8 s"
    assert rate.with_numbers({"completion_tokens": "794"}.get) == ""
    assert rate.plain_formula() == "tokens generated ÷ decode time"


def test_flags_are_all_documented() -> None:
    text = page("metrics")
    for flag in ("not_idle", "cached_prompt", "partial_acceptance", "client_bound", "buffered", "not_streamed", "compressed",
                 "token_mismatch", "model_loaded", "garbled_events", "other_traffic"):  # fmt: skip
        assert f"| `{flag}` |" in text
