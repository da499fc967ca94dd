"""What several cells say together: what sets the rate, what context and memory do, and which run is unlike the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec

from sparktui.core.explain import Sentence
from sparktui.core.records import RunRecord
from sparktui.core.stats.baseline import drafted
from sparktui.core.stats.cells import cell_of, cells_of, is_counted, params_text
from sparktui.core.stats.statistics import MIN_RUNS, Comparison, compare, median

_CONTEXT_APART = 4.0
_PREFILL_APART = 0.10
_SAME_LENGTH = 0.05
_LONG_PROMPT = 1_000
"""Below so many tokens a prefill is too short for its rate to mean much."""


def explain_cells(records: Sequence[RunRecord]) -> list[Sentence]:
    """Every statement that these runs allow; what they cannot tell is said to be not known."""
    counted = [run for run in records if is_counted(run)[0]]
    found = [*what_sets_the_rate(counted), *what_the_draft_does(counted), *context_and_decode(counted)]
    return [*found, *prefill_and_length(counted), *prefill_and_memory(counted), *odd_runs(records)]


def what_sets_the_rate(runs: Sequence[RunRecord]) -> list[Sentence]:
    """The text's effect at the same temperature against the temperature's with the same text."""
    plain = [run for run in runs if run.needle is None and run.params.temperature is not None]
    texts = _effects(plain, same=_temperature, other=lambda run: run.prompt.name)
    heats = _effects(plain, same=lambda run: run.prompt.name, other=_temperature)
    found = [_effect(topic, *effect) for topic, effects in (("text", texts), ("temperature", heats)) for effect in effects]
    if not texts or not heats:
        return [*found, _unknown("rate", "whether the text or the temperature sets the rate", "it takes two texts at two temperatures")]
    text, heat = (max(_strength(effect[3]) for effect in effects) for effects in (texts, heats))
    first, second = ("text", "temperature") if text > heat else ("temperature", "text")
    strong, weak = max(text, heat), min(text, heat)
    says = f"The decode rate is set by the {first}, not the {second}: another {first} changes it by up to {_percent(strong)}, "
    says += f"another {second} by {_percent(weak)} at most."
    if strong < 2 * weak:
        says = f"Text and temperature both set the decode rate: by up to {_percent(text)} and {_percent(heat)}."
    return [Sentence(topic="rate", text=says, formula="largest ratio of medians between cells that differ in nothing else"), *found]


def what_the_draft_does(runs: Sequence[RunRecord]) -> list[Sentence]:
    """Every cell with a draft against the runs of the same question without one, and what a verify step costs by that."""
    questions: dict[str, list[RunRecord]] = {}
    for run in runs:
        if run.client_tok_s is not None and drafted(run) is not None:
            questions.setdefault(f"{run.prompt.sha256} {params_text(run.params)} {run.server.model}", []).append(run)
    found = []
    for asked in questions.values():
        plain = [run for run in asked if drafted(run) is False]
        labels = dict.fromkeys(run.label for run in asked if drafted(run)) if plain else {}
        for label in labels:
            with_draft = [run for run in asked if drafted(run) and run.label == label]
            seen = compare([run.client_tok_s for run in plain], [run.client_tok_s for run in with_draft])
            says = _verdict("draft", f"{label} against no draft ({asked[0].prompt.name})", seen, "the draft changes the rate")
            per_step = median(run.tokens_per_step for run in with_draft)
            if per_step and seen.ratio:
                cost = per_step / seen.ratio
                text = f"{says.text} A verify step costs {cost:.2f} single-token passes."
                formula = f"{says.formula}; {per_step:.2f} tokens a step ÷ {seen.ratio:.2f} = {cost:.2f}"
                says = msgspec.structs.replace(says, text=text, formula=formula)
            found.append(says)
    return found


def context_and_decode(runs: Sequence[RunRecord]) -> list[Sentence]:
    """Decoding at the longest context against the shortest, of runs that ask the same kind of thing."""
    kinds: dict[str, list[RunRecord]] = {}
    for run in runs:
        if run.prompt_tokens and run.client_tok_s:
            kinds.setdefault(f"{run.prompt.name} {run.label if run.needle is None else ''}", []).append(run)
    found = []
    for kind in kinds.values():
        groups = _by_length(kind)
        short, long = groups[0], groups[-1]
        if _length(long) < _CONTEXT_APART * _length(short):
            continue
        seen = compare([run.client_tok_s for run in short], [run.client_tok_s for run in long])
        where = f"{_length(long):,.0f} against {_length(short):,.0f} tokens of context"
        found.append(_verdict("context", f"Decode at {where} ({kind[0].prompt.name})", seen, "decode falls with context"))
    if not found:
        why = f"it takes runs whose prompts differ {_CONTEXT_APART:g}-fold"
        found.append(_unknown("context", "whether decode falls with context", why))
    return found


def prefill_and_length(runs: Sequence[RunRecord]) -> list[Sentence]:
    """Whether the prefill rate stays the same from one length to the next."""
    groups = _by_length([run for run in runs if _has_prefill(run)])
    if len(groups) < 2:
        return []
    rates = [(_length(group), median(run.prefill_tok_s for run in group) or 0.0) for group in groups]
    listed = ", ".join(f"{rate:,.0f} tok/s at {length:,.0f}" for length, rate in rates)
    top = max(rate for _, rate in rates)
    flat = [length for length, rate in rates if rate >= top * (1 - _PREFILL_APART)]
    slow = [f"{length:,.0f} ({100 * (1 - rate / top):.0f} % slower)" for length, rate in rates if rate < top * (1 - _PREFILL_APART)]
    text = f"The prefill rate is the same within {100 * _PREFILL_APART:.0f} % from {min(flat):,.0f} to {max(flat):,.0f} tokens"
    text += f"; not at {', '.join(slow)}." if slow else "."
    return [Sentence(topic="prefill", text=text, formula=f"median prefill rate by prompt length: {listed}")]


def prefill_and_memory(runs: Sequence[RunRecord]) -> list[Sentence]:
    """Whether the slowest prefill is the one with the least free memory."""
    known = [run for run in runs if _has_prefill(run) and run.memory is not None]
    if len(known) < 2:
        why = f"it takes two runs of {_LONG_PROMPT:,} prompt tokens or more with both figures"
        return [_unknown("memory", "whether a slow prefill goes with little free memory", why)]
    slowest = min(known, key=lambda run: run.prefill_tok_s or 0.0)
    tightest = min(known, key=_free)
    fastest = max(known, key=lambda run: run.prefill_tok_s or 0.0)
    if (slowest.prefill_tok_s or 0) >= (fastest.prefill_tok_s or 0) * (1 - _PREFILL_APART):
        return [Sentence(topic="memory", text="No prefill is slower than the others by more than 10 %, whatever memory was free.")]
    if _free(tightest) >= max(_free(run) for run in known) * (1 - _PREFILL_APART):
        text = f"Some prefills are slower, but all had about the same free memory ({_free(tightest) / 1e9:.0f} GB at the least)."
        return [Sentence(topic="memory", text=text)]
    text = f"The slowest prefill ({slowest.prefill_tok_s:,.0f} tok/s, {_free(slowest) / 1e9:.0f} GB free at the least) "
    least = f"is not the one with the least free memory ({_free(tightest) / 1e9:.0f} GB)"
    text += "coincides with the least free memory" if slowest is tightest else least
    text += f"; the fastest had {_free(fastest) / 1e9:.0f} GB."
    if slowest is tightest and slowest.prompt_tokens != fastest.prompt_tokens:
        lengths = f"{slowest.prompt_tokens or 0:,} tokens against {fastest.prompt_tokens or 0:,}"
        text += f" Its prompt was another length too ({lengths}): either may be the cause."
    return [Sentence(topic="memory", text=text, formula=f"prefill rate and least free memory of {len(known)} runs")]


def odd_runs(records: Sequence[RunRecord]) -> list[Sentence]:
    """Outliers, differing lengths and slowing, cell by cell."""
    found = []
    for cell in cells_of(records):
        name = f"{cell.prompt.name}, T {cell.params.temperature if cell.params.temperature is not None else 'unset'}, {cell.label}"
        found += [Sentence(topic="outlier", text=f"{name}. {note}", formula="against the cell's median") for note in cell.notes]
    return found


def median_run(runs: Sequence[RunRecord]) -> RunRecord:
    """The counted run whose rate is nearest to its cell's median; the last run where none counts."""
    middle = cell_of(runs).medians.get("client_tok_s")
    counted = [run for run in runs if is_counted(run)[0] and run.client_tok_s is not None]
    if middle is None or not counted:
        return runs[-1]
    return min(counted, key=lambda run: abs((run.client_tok_s or 0.0) - middle))


Effect = tuple[str, str, str, Comparison]


def _effects(runs: Sequence[RunRecord], *, same: Callable[[RunRecord], str], other: Callable[[RunRecord], str]) -> list[Effect]:
    """(what is the same, slow, fast, comparison) wherever one thing differs and the other does not; label and limits are the same too."""
    groups: dict[tuple[str, ...], dict[str, list[RunRecord]]] = {}
    for run in runs:
        if run.client_tok_s is not None:
            key = (same(run), run.label, run.server.base_url, run.server.model, str(run.params.max_tokens))
            groups.setdefault(key, {}).setdefault(other(run), []).append(run)
    found = []
    for (what, *_), cells in groups.items():
        ordered = sorted(cells, key=lambda name: median(run.client_tok_s for run in cells[name]) or 0.0)
        if len(ordered) > 1:
            slow, fast = ordered[0], ordered[-1]
            seen = compare([run.client_tok_s for run in cells[slow]], [run.client_tok_s for run in cells[fast]])
            found.append((what, slow, fast, seen))
    return found


def _effect(topic: str, same: str, slow: str, fast: str, seen: Comparison) -> Sentence:
    return _verdict("rate", f"{same}: {fast} against {slow}", seen, f"the {topic} changes the rate")


def _verdict(topic: str, what: str, seen: Comparison, claim: str) -> Sentence:
    if seen.ratio is None:
        return _unknown(topic, f"whether {claim} ({what})", "a rate is missing")
    rates = f"{seen.median_b:.1f} ÷ {seen.median_a:.1f} tok/s = {seen.ratio:.3f}"
    if seen.low is None or seen.high is None:
        word = f"too few runs to tell (n = {min(seen.n_a, seen.n_b)}, {MIN_RUNS} are needed)"
        return Sentence(topic=topic, text=f"{what}: {seen.ratio:.2f} ×, {word}.", formula=rates, known=False)
    formula = f"{rates}, 95 % interval {seen.low:.3f} – {seen.high:.3f}"
    return Sentence(topic=topic, text=f"{what}: {seen.ratio:.2f} ×, {seen.verdict}.", formula=formula)


def _strength(seen: Comparison) -> float:
    return abs(math.log(seen.ratio)) if seen.ratio else 0.0


def _percent(strength: float) -> str:
    return f"{100 * (math.exp(strength) - 1):.0f} %"


def _by_length(runs: Sequence[RunRecord]) -> list[list[RunRecord]]:
    """Runs grouped by prompt length, shortest first; lengths within 5 % of a group's first are one."""
    groups: list[list[RunRecord]] = []
    for run in sorted(runs, key=lambda run: run.prompt_tokens or 0):
        if groups and (run.prompt_tokens or 0) <= (groups[-1][0].prompt_tokens or 0) * (1 + _SAME_LENGTH):
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups


def _length(runs: Sequence[RunRecord]) -> float:
    return median(run.prompt_tokens for run in runs) or 0.0


def _has_prefill(run: RunRecord) -> bool:
    return bool(run.prefill_tok_s) and (run.prompt_tokens or 0) >= _LONG_PROMPT


def _free(run: RunRecord) -> float:
    return float(run.memory.available_min) if run.memory is not None else math.inf


def _temperature(run: RunRecord) -> str:
    return f"T {run.params.temperature:g}" if run.params.temperature is not None else "T unset"


def _unknown(topic: str, what: str, why: str) -> Sentence:
    return Sentence(topic=topic, text=f"Not known: {what} ({why}).", known=False)
