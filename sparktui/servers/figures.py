"""The figures servers report with an answer, of whatever kind: gateways pass them through, so every shape is tried on every event.

Usage fields (OpenAI, TabbyAPI, Open WebUI), llama.cpp `timings`, vLLM `metrics`, SGLang `sglext`, LM Studio `stats`, Ollama durations.
"""

from __future__ import annotations

from typing import Any

from sparktui.core.delta import ServerFigures, Source
from sparktui.servers.lenient import count, mapping, number, positive

_OLLAMA_KEYS = frozenset({"eval_count", "total_duration"})
_RARE_KEYS = frozenset({"metrics", "sglext", "speculative_decoding_stats", "stats"}) | _OLLAMA_KEYS
_KEYS = frozenset({"usage", "timings"}) | _RARE_KEYS

Values = dict[str, Any]


def figures_in(event: dict[str, Any]) -> ServerFigures | None:
    """Every figure in one event or answer, None if there is none. Where two places tell the same figure, the server's closer one wins."""
    if _KEYS.isdisjoint(event):
        return None
    get = event.get
    readings: list[Values] = []
    usage = get("usage")
    if type(usage) is dict and not _OLLAMA_KEYS.isdisjoint(usage):
        readings.append(_ollama(usage))
    if type(timings := get("timings")) is dict:
        readings.append(_timings(timings))
    if type(usage) is dict:
        readings.append(_usage(usage))
    if not _RARE_KEYS.isdisjoint(event):
        readings += (_ollama(event), _vllm(mapping(get("metrics"))), _sglang(event), _lmstudio(mapping(get("stats"))))
    values = {name: value for reading in readings for name, value in reading.items() if value is not None}
    return ServerFigures(**values) if values else None


def acceptance(accepted: int | None, proposed: int | None, source: Source, verify_steps: int | None = None) -> Values:
    """Draft figures of one request; empty unless something was proposed, since constant zeros mean "not reported"."""
    if accepted is None or not proposed or accepted > proposed:
        return {}
    return {
        "draft_accepted": accepted,
        "draft_proposed": proposed,
        "verify_steps": verify_steps or None,
        "acceptance_source": source,
        "acceptance_scope": "request",
    }


def _usage(usage: dict[str, Any]) -> Values:
    """`usage` of any server, as sent: whether reasoning tokens are inside completion_tokens is told by `total_tokens`."""
    get = usage.get
    prompt = count(get("prompt_tokens", get("input_tokens")))
    completion = count(get("completion_tokens", get("output_tokens")))
    total = count(get("total_tokens"))
    if not (total or prompt or completion):
        return {}
    if len(usage) == 3 and total is not None and prompt is not None and completion is not None:
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
    details = mapping(get("completion_tokens_details"))
    cached = count(mapping(get("prompt_tokens_details")).get("cached_tokens"))
    values: Values = {
        "prompt_tokens": prompt,
        "cached_tokens": cached,
        "new_tokens": prompt - cached if prompt is not None and cached is not None and cached <= prompt else None,
        "completion_tokens": completion,
        "reasoning_tokens": count(details.get("reasoning_tokens", get("reasoning_tokens"))) or None,
        "total_tokens": total,
    }
    accepted, rejected = count(details.get("accepted_prediction_tokens")), count(details.get("rejected_prediction_tokens"))
    if accepted is not None and rejected is not None:
        values.update(acceptance(accepted, accepted + rejected, "usage"))
    values.update(_usage_times(usage))
    return values


def _usage_times(usage: dict[str, Any]) -> Values:
    """TabbyAPI's times and rates (two decimals; a rate may be the word "Indeterminate"), and Open WebUI's `response_token/s`.

    queue = total − prompt − completion time.
    """
    get = usage.get
    prefill_s, decode_s, total_s = number(get("prompt_time")), number(get("completion_time")), number(get("total_time"))
    values: Values = {
        "prefill_s": prefill_s,
        "prefill_tok_s": positive(get("prompt_tokens_per_sec")),
        "decode_s": decode_s or None,
        "server_tok_s": positive(get("completion_tokens_per_sec", get("response_token/s"))),
        "total_s": total_s or None,
    }
    if prefill_s is not None and decode_s is not None and total_s is not None:
        values["queue_s"] = max(0.0, round(total_s - prefill_s - decode_s, 2))
    return values


def _timings(timings: dict[str, Any]) -> Values:
    """llama.cpp `timings`, milliseconds. decode rate = (predicted_n − 1) ÷ predicted_ms, which starts at the first token.

    The rate is recomputed because builds differ in the one they print; `prompt_n` leaves cached tokens out.
    """
    if not timings:
        return {}
    get = timings.get
    new, prefill_ms = count(get("prompt_n")) or None, positive(get("prompt_ms"))
    cached = count(get("cache_n")) if new else None
    generated, decode_ms = count(get("predicted_n")) or None, positive(get("predicted_ms"))
    rate = positive(get("predicted_per_second")) if generated is None or decode_ms is None else None
    if generated is not None and generated > 1 and decode_ms:
        rate = 1000 * (generated - 1) / decode_ms
    return {
        "prompt_tokens": new + cached if new is not None and cached is not None else None,
        "cached_tokens": cached,
        "new_tokens": new,
        "completion_tokens": generated,
        "prefill_s": prefill_ms / 1000 if prefill_ms else None,
        "prefill_tok_s": 1000 * new / prefill_ms if new and prefill_ms else None,
        "decode_s": decode_ms / 1000 if decode_ms and generated != 1 else None,
        "server_tok_s": rate,
        **acceptance(count(get("draft_n_accepted")), count(get("draft_n")), "timings", count(get("draft_rounds"))),
    }


def _vllm(metrics: dict[str, Any]) -> Values:
    """vLLM's per-request `metrics` (milliseconds; time to first token counts from scheduling, so it is the prefill)."""
    spec = mapping(metrics.get("speculative_decoding"))
    steps = count(spec.get("num_spec_steps"))
    return {
        "prefill_s": _seconds(metrics.get("time_to_first_token_ms"), 1e3),
        "decode_s": _seconds(metrics.get("generation_time_ms"), 1e3),
        "queue_s": _seconds(metrics.get("queue_time_ms"), 1e3),
        "server_tok_s": positive(metrics.get("tokens_per_second")),
        **acceptance(count(spec.get("num_accepted_draft_tokens")), count(spec.get("num_draft_tokens")), "stream", steps),
    }


def _sglang(event: dict[str, Any]) -> Values:
    """SGLang's per-request draft counts. A list, one entry a choice when n > 1, is pooled."""
    found = mapping(event.get("sglext")).get("spec_tokens_details") or event.get("speculative_decoding_stats")
    entries = [mapping(item) for item in (found if type(found) is list else [found])]
    accepted = _summed(entries, "spec_num_correct_drafts", "spec_accepted_drafts", "spec_accepted_tokens")
    proposed = _summed(entries, "spec_num_proposed_drafts", "spec_proposed_drafts")
    return acceptance(accepted, proposed, "stream", _summed(entries, "spec_verify_ct"))


def _lmstudio(stats: dict[str, Any]) -> Values:
    """LM Studio `stats`, seconds. Proposed = every draft token made, the ignored ones (never verified) included."""
    return {
        "server_tok_s": positive(stats.get("tokens_per_second")),
        "decode_s": positive(stats.get("generation_time")),
        **acceptance(count(stats.get("accepted_draft_tokens_count")), count(stats.get("total_draft_tokens_count")), "stream"),
    }


def _ollama(source: dict[str, Any]) -> Values:
    """Ollama's figures, nanoseconds, in its last line or inside Open WebUI's usage. decode rate = eval_count ÷ eval_duration.

    No prefill rate: `prompt_eval_count` includes cached tokens and its duration does not.
    """
    generated, decode_s = count(source.get("eval_count")), _seconds(source.get("eval_duration"), 1e9)
    return {
        "prompt_tokens": count(source.get("prompt_eval_count")),
        "completion_tokens": generated,
        "prefill_s": _seconds(source.get("prompt_eval_duration"), 1e9),
        "decode_s": decode_s,
        "server_tok_s": generated / decode_s if generated and decode_s else None,
        "total_s": _seconds(source.get("total_duration"), 1e9),
        "load_s": _seconds(source.get("load_duration"), 1e9),
    }


def _seconds(value: Any, units_per_second: float) -> float | None:
    found = number(value)
    return found / units_per_second if found is not None else None


def _summed(entries: list[dict[str, Any]], *names: str) -> int | None:
    found = [next((value for name in names if (value := count(entry.get(name))) is not None), None) for entry in entries]
    known = [value for value in found if value is not None]
    return sum(known) if known and len(known) == len(found) else None
