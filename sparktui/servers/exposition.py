"""Counters of a server's /metrics page (Prometheus text), and what they say about one run that happened between two readings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from sparktui.core.delta import ServerFigures
from sparktui.servers.lenient import LARGEST_COUNT

_SPEC = re.compile(r"spec_decode_num_(drafts|draft_tokens|accepted_tokens)(?:_total)?\Z")
_RUNNING = ("num_requests_running", "num_running_reqs", "requests_processing")
_WAITING = ("num_requests_waiting", "num_queue_reqs", "requests_deferred")
_GENERATED = ("generation_tokens_total", "generation_tokens", "tokens_predicted_total", "tokens_predicted")
_FINISHED = ("request_success_total", "request_success", "num_requests_total")
_TIMES = ("request_queue_time_seconds", "request_prefill_time_seconds", "request_decode_time_seconds")

Sums = dict[str, float]


class ServerCounters(Struct, frozen=True, kw_only=True):
    """One reading, summed over engines and labels; None = the server does not count it.

    `running` and `waiting` are requests now, the rest only ever grows: tokens, finished requests, verify steps with a draft (`drafts`),
    SGLang's `verify_calls`, and per time histogram its (seconds, observations).
    """

    running: int | None = None
    waiting: int | None = None
    generated: int | None = None
    finished: int | None = None
    drafts: int | None = None
    draft_tokens: int | None = None
    accepted_tokens: int | None = None
    verify_calls: int | None = None
    times: dict[str, tuple[float, int]] = {}

    @property
    def busy(self) -> bool | None:
        """Whether a request runs or waits, None if not told."""
        if self.running is None:
            return None
        return bool(self.running or self.waiting)


def read_counters(page: bytes) -> ServerCounters | None:
    """The counters of a /metrics page, whatever prefix they carry; None if it is no Prometheus text or counts nothing of a model."""
    sums = _sums(page)
    if sums is None:
        return None
    spec: dict[str, int] = {match[1]: int(value) for name, value in sums.items() if (match := _SPEC.search(name)) is not None}
    counters = ServerCounters(
        running=_pick(sums, _RUNNING),
        waiting=_pick(sums, (*_WAITING, "num_requests_waiting_by_reason")),
        generated=_pick(sums, _GENERATED),
        finished=_pick(sums, _FINISHED),
        drafts=spec.get("drafts"),
        draft_tokens=spec.get("draft_tokens"),
        accepted_tokens=spec.get("accepted_tokens"),
        verify_calls=_pick(sums, ("spec_verify_calls_total", "spec_verify_calls")),
        times={
            name: (sums[f"{name}_sum"], int(sums[f"{name}_count"])) for name in _TIMES if f"{name}_sum" in sums and f"{name}_count" in sums
        },
    )
    return None if counters == ServerCounters() else counters


def spec_delta(before: ServerCounters, after: ServerCounters, completion_tokens: int | None) -> ServerFigures | None:
    """Draft figures (and, for one request alone, its times in seconds) of what happened between two readings.

    Scope "request" only if nothing ran or waited at either reading, the generated tokens are exactly `completion_tokens` and, where the
    server counts them, exactly one request finished; else "interval". None after a restart (a counter fell) or where nothing is known.
    """
    if any(now < then for then, now in _counter_pairs(before, after)):
        return None
    alone = _is_alone(before, after, completion_tokens)
    proposed = _grown(before.draft_tokens, after.draft_tokens)
    accepted = _grown(before.accepted_tokens, after.accepted_tokens)
    figures = ServerFigures()
    if proposed and accepted is not None and accepted <= proposed:
        figures = ServerFigures(
            draft_accepted=accepted, draft_proposed=proposed, verify_steps=_grown(before.drafts, after.drafts) or None,
            acceptance_source="metrics_endpoint", acceptance_scope="request" if alone else "interval",
        )  # fmt: skip
    if alone:
        figures = _alone_figures(before, after, completion_tokens).merged(figures)
    return None if figures == ServerFigures() else figures


def _is_alone(before: ServerCounters, after: ServerCounters, completion_tokens: int | None) -> bool:
    idle = before.busy is False and after.busy is False
    requests = _grown(before.finished, after.finished)
    return idle and bool(completion_tokens) and _grown(before.generated, after.generated) == completion_tokens and requests in (1, None)


def _alone_figures(before: ServerCounters, after: ServerCounters, completion_tokens: int | None) -> ServerFigures:
    """Times of the only request, its rate (tokens after the first ÷ decode time) and SGLang's verify steps, which it counts apart."""
    queue_s, prefill_s, decode_s = (_one_time(before, after, name) for name in _TIMES)
    rate = (completion_tokens - 1) / decode_s if decode_s and completion_tokens and completion_tokens > 1 else None
    return ServerFigures(
        queue_s=queue_s, prefill_s=prefill_s, decode_s=decode_s, server_tok_s=rate,
        verify_steps=_grown(before.verify_calls, after.verify_calls) or None,
    )  # fmt: skip


def _one_time(before: ServerCounters, after: ServerCounters, name: str) -> float | None:
    if name not in after.times:
        return None
    seconds, observations = after.times[name]
    seconds_before, observations_before = before.times.get(name, (0.0, 0))
    return round(seconds - seconds_before, 6) if observations - observations_before == 1 else None


def _counter_pairs(before: ServerCounters, after: ServerCounters) -> Iterator[tuple[int, int]]:
    for name in ("generated", "finished", "drafts", "draft_tokens", "accepted_tokens", "verify_calls"):
        then, now = getattr(before, name), getattr(after, name)
        if then is not None and now is not None:
            yield then, now


def _grown(then: int | None, now: int | None) -> int | None:
    """Growth of a counter; one that was not there before started at 0."""
    return None if now is None else now - (then or 0)


def _pick(sums: Sums, names: tuple[str, ...]) -> int | None:
    return next((int(sums[name]) for name in names if name in sums), None)


def _sums(page: bytes) -> Sums | None:
    """Every sample by its name without prefix, summed over labels."""
    from prometheus_client.parser import text_string_to_metric_families

    sums: Sums = {}
    try:
        for family in text_string_to_metric_families(page.decode("utf-8", "replace")):
            for sample in family.samples:
                name = sample.name.rpartition(":")[2].removeprefix("vllm_").removeprefix("llamacpp_").removeprefix("sglang_")
                if sample.value == sample.value:
                    sums[name] = sums.get(name, 0.0) + sample.value
    except (ValueError, KeyError, IndexError):
        return None
    return {name: value for name, value in sums.items() if abs(value) <= LARGEST_COUNT}
