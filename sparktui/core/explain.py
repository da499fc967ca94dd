"""Where one run's time went and why it had this speed: sentences made of its own figures, each with its formula."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sparktui.core.figures.drafting import server_decode_s
from sparktui.core.records import RunRecord
from sparktui.core.stats.baseline import drafted
from sparktui.core.stats.outliers import outlier_notes

GAIN = 0.10
"""What acceptance is asked to bring: +10 %."""

_STREAMS_IN_GROUPS = ("tabbyapi", "demo")


class Sentence(Struct, frozen=True, kw_only=True):
    """One statement. `formula`: how its figures come about, with the numbers. `known` False: it says that something is missing."""

    topic: str
    text: str
    formula: str = ""
    known: bool = True


def explain_run(record: RunRecord, peers: Sequence[RunRecord] = ()) -> list[Sentence]:
    """Everything that can be said of one run. `peers`: the runs of its cell, this one among them, for what is odd about it."""
    found = [*_parts(record), *_first_text(record), *_rate(record), *_draft(record), *_against_no_draft(record), *_what_if(record)]
    found += [*_chunks(record), *_client_and_server(record), *_circumstances(record), *_odd(record, peers)]
    return found


def _parts(record: RunRecord) -> list[Sentence]:
    """The whole of the run, cut into what came before the first text and decoding."""
    ttft, decode, total = record.ttft_s, record.decode_s, record.total_s
    if ttft is None or decode is None:
        return [_missing("time", "first text and last text", "no text came, or the run was not streamed")]
    whole = total if total is not None else ttft + decode
    text = f"Of {whole:.1f} s, {ttft:.2f} s ({_share(ttft, whole)}) passed before the first text and {decode:.1f} s "
    text += f"({_share(decode, whole)}) while text came."
    return [Sentence(topic="time", text=text, formula=f"total {whole:.2f} s = TTFT {ttft:.2f} s + decode {decode:.2f} s + end")]


def _first_text(record: RunRecord) -> list[Sentence]:
    """TTFT = queue + prefill + steps before the first text + the rest."""
    ttft = record.ttft_s
    if ttft is None:
        return []
    known = {"queue": record.queue_s, "prefill": record.prefill_s, "steps before the first text": steps_before_text_s(record)}
    parts = [f"{name} {value:.2f} s" for name, value in known.items() if value is not None]
    absent = [name for name, value in known.items() if value is None]
    spent = sum(value for value in known.values() if value is not None)
    parts.append(f"rest {max(0.0, ttft - spent):.2f} s")
    text = f"TTFT {ttft:.2f} s: {', '.join(parts)}."
    found = [Sentence(topic="first text", text=text, formula=_steps_formula(record))] if len(absent) < len(known) else []
    if absent:
        found.append(_missing("first text", ", ".join(absent), f"what they took is in the {max(0.0, ttft - spent):.2f} s that are left"))
    if not record.first_chunk_tokens and record.step_ms and record.prefill_s is not None:
        left = ttft - record.prefill_s - (record.queue_s or 0.0)
        steps = left * 1000 / record.step_ms
        text = f"The {left:.2f} s between prefill and the first text are as long as {steps:.1f} verify steps."
        found.append(Sentence(topic="first text", text=text, formula=f"{left:.2f} s ÷ {record.step_ms:.1f} ms = {steps:.1f}"))
    return found


def steps_before_text(record: RunRecord) -> float | None:
    """Verify steps until the first text: those whose tokens are in the first chunk, and on TabbyAPI one more, which is still held back.

    None where that is not known, or the first chunk holds less than a step.
    """
    per_step = _per_step(record)
    if not record.first_chunk_tokens or per_step is None:
        return None
    if record.server.kind in _STREAMS_IN_GROUPS:
        return record.first_chunk_tokens / per_step + 1
    # an event a token: the first is a part of a step, and how long that took cannot be told
    return record.first_chunk_tokens / per_step if record.first_chunk_tokens >= per_step else None


def steps_before_text_s(record: RunRecord) -> float | None:
    """The time those steps take."""
    steps, step_ms = steps_before_text(record), _step_ms(record)
    return None if steps is None or step_ms is None else steps * step_ms / 1000


def _per_step(record: RunRecord) -> float | None:
    """Tokens a step; without a draft a step is a token."""
    return record.tokens_per_step or (1.0 if drafted(record) is False else None)


def _step_ms(record: RunRecord) -> float | None:
    if record.step_ms:
        return record.step_ms
    return 1000 / record.server_tok_s if drafted(record) is False and record.server_tok_s else None


def _steps_formula(record: RunRecord) -> str:
    steps, step_ms, per_step = steps_before_text(record), _step_ms(record), _per_step(record)
    if steps is None or step_ms is None or per_step is None:
        return ""
    held = " + 1 held back" if record.server.kind in _STREAMS_IN_GROUPS else ""
    return (
        f"steps before the first text = {_tokens(record.first_chunk_tokens)} ÷ {per_step:.2f} per step{held} = {steps:.1f}; "
        f"× {step_ms:.1f} ms"
    )


def _tokens(count: float | None) -> str:
    return f"{count or 0:.0f} token{'' if round(count or 0) == 1 else 's'}"


def _rate(record: RunRecord) -> list[Sentence]:
    """tokens per step ÷ time per step = rate."""
    per_step, step_ms, decode = record.tokens_per_step, record.step_ms, server_decode_s(record)
    if per_step and step_ms:
        rate = per_step * 1000 / step_ms
        text = f"Each verify step takes {step_ms:.1f} ms and yields {per_step:.2f} tokens: {rate:.1f} tok/s."
        formula = f"{per_step:.2f} tokens ÷ {step_ms:.1f} ms = {rate:.1f} tok/s"
        if record.verify_steps and decode:
            formula += f"; {step_ms:.1f} ms = {decode:.2f} s of decoding ÷ {record.verify_steps} steps"
        return [Sentence(topic="rate", text=text, formula=formula)]
    rate_known = record.server_tok_s or record.client_tok_s_net or record.client_tok_s
    if rate_known and not record.draft_proposed:
        text = f"Without draft figures a token takes {1000 / rate_known:.1f} ms: {rate_known:.1f} tok/s."
        return [Sentence(topic="rate", text=text, formula=f"1000 ÷ {rate_known:.1f} tok/s")]
    return [_missing("rate", "tokens per step and time per step", "the server's draft counts or its decode time are missing")]


def _draft(record: RunRecord) -> list[Sentence]:
    a, p, n = record.draft_accepted, record.draft_proposed, record.completion_tokens
    if drafted(record) is False:
        return [Sentence(topic="draft", text="It ran without a draft.")]
    if a is None or not p:
        return [_missing("draft", "acceptance", "neither the answer nor a log tells it")] if record.draft_proposed is None else []
    text = f"The draft proposed {p:,} tokens and {a:,} were accepted, {100 * a / p:.1f} %."
    formula = f"{a} ÷ {p}"
    if record.drafted_per_step and record.tokens_per_step and n:
        text += f" A step verifies {record.drafted_per_step:.2f} drafted tokens and yields {record.tokens_per_step:.2f}, its own included."
        formula += f"; {record.verify_steps} steps = {n} tokens − {a} accepted" if record.verify_steps == n - a else ""
    return [Sentence(topic="draft", text=text, formula=formula)]


def _against_no_draft(record: RunRecord) -> list[Sentence]:
    cost, speedup, per_step = record.step_cost, record.speedup, record.tokens_per_step
    if not cost or not record.step_ms or not per_step:
        if record.draft_proposed:
            return [_missing("speed-up", "the rate without a draft", "measure a run without one, or set baseline_tok_s")]
        return []
    base = cost * 1000 / record.step_ms
    gain = per_step / cost
    text = f"A verify step costs {cost:.2f} single-token passes and yields {per_step:.2f} tokens, "
    text += f"so the draft makes it {gain:.2f} × as fast as {base:.1f} tok/s without one."
    if gain < 1:
        text += f" It slows the answer down: it would have to yield more than {cost:.2f} tokens a step."
    formula = f"step cost = {record.step_ms:.1f} ms ÷ (1000 ÷ {base:.1f} tok/s) = {cost:.2f}; "
    formula += f"speed-up = {per_step:.2f} ÷ {cost:.2f} = {gain:.2f}"
    if speedup and abs(speedup - gain) > 0.03 * gain:
        formula += f"; by the {(record.speedup_rate or 'rates').replace('_', ' ')} it is {speedup:.2f}"
    return [Sentence(topic="speed-up", text=text, formula=formula)]


def needed_acceptance(record: RunRecord, gain: float = GAIN) -> float | None:
    """The acceptance at which the rate were `gain` higher, were step time and drafted tokens the same; above 1 no acceptance is enough."""
    per_step, drafted = record.tokens_per_step, record.drafted_per_step
    return None if not per_step or not drafted else ((1 + gain) * per_step - 1) / drafted


def _what_if(record: RunRecord) -> list[Sentence]:
    needed, per_step, drafted = needed_acceptance(record), record.tokens_per_step, record.drafted_per_step
    if needed is None or per_step is None or drafted is None or record.acceptance_rate is None:
        return []
    more = f"+{100 * GAIN:.0f} %"
    formula = f"({1 + GAIN:.2f} × {per_step:.2f} − 1) ÷ {drafted:.2f} drafted per step = {100 * needed:.1f} %"
    if needed <= 1:
        text = f"For {more} the acceptance would have to be {100 * needed:.1f} % in place of {100 * record.acceptance_rate:.1f} %."
    else:
        most = (1 + drafted) / per_step - 1
        text = f"No acceptance brings {more}: all drafts accepted would give +{100 * most:.1f} %. It takes longer drafts or cheaper steps."
        formula += f"; (1 + {drafted:.2f}) ÷ {per_step:.2f} − 1 = {100 * most:.1f} %"
    return [Sentence(topic="what if", text=text, formula=formula)]


def _chunks(record: RunRecord) -> list[Sentence]:
    if not record.steps_per_chunk or not record.tokens_per_chunk or not record.tokens_per_step:
        return []
    text = f"A chunk carries {record.steps_per_chunk:.2f} verify steps: {record.tokens_per_chunk:.1f} tokens a chunk are "
    text += f"{record.tokens_per_step:.2f} a step."
    formula = f"{record.verify_steps} steps ÷ {record.chunks} chunks = {record.steps_per_chunk:.2f}"
    return [Sentence(topic="chunks", text=text, formula=formula)]


def _client_and_server(record: RunRecord) -> list[Sentence]:
    client, server, first, n = record.client_tok_s, record.server_tok_s, record.first_chunk_tokens, record.completion_tokens
    if not client or not server:
        return []
    apart = 100 * (client / server - 1)
    text = f"The client's rate is {abs(apart):.1f} % {'above' if apart >= 0 else 'below'} the server's."
    formula = f"{client:,.1f} ÷ {server:,.1f}"
    if first and n and n > first:
        share = 100 * (n / (n - first) - 1)
        verb = "accounts" if round(first) == 1 else "account"
        text += f" The first chunk's {_tokens(first)}, which had arrived when its clock started, {verb} for {share:.1f} %."
        formula += f"; {n} ÷ ({n} − {first:.0f})"
    return [Sentence(topic="client and server", text=text, formula=formula)]


def _circumstances(record: RunRecord) -> list[Sentence]:
    found = []
    if record.queue_s is not None and record.queue_s > 0.05:
        text = f"It waited {record.queue_s:.2f} s for another request: the server was not idle."
        found.append(Sentence(topic="circumstances", text=text, formula="queue > 0.05 s"))
    if record.cached_tokens:
        text = f"{record.cached_tokens:,} of {record.prompt_tokens or 0:,} prompt tokens came from the cache: prefill and TTFT are short."
        found.append(Sentence(topic="circumstances", text=text))
    if record.memory is not None:
        free = record.memory.available_min / 1e9
        text = f"At the least {free:.1f} GB of memory were free while it ran."
        found.append(Sentence(topic="circumstances", text=text, formula="memory: available, least"))
    return found


def _odd(record: RunRecord, peers: Sequence[RunRecord]) -> list[Sentence]:
    name = f"Run {record.run_no or record.id}:"
    notes = [note for note in outlier_notes(peers) if note.startswith(name)]
    return [Sentence(topic="outlier", text=note, formula="against its cell's median") for note in notes]


def _missing(topic: str, what: str, why: str) -> Sentence:
    return Sentence(topic=topic, text=f"Not known: {what} ({why}).", known=False)


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"
