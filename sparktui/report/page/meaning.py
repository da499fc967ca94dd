"""What the runs of a page say together, in sentences made of their own figures."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sparktui.core.explain import Sentence, explain_run
from sparktui.core.explaincells import explain_cells
from sparktui.report.page.kinds import SIMULATED_MARK, Kinds, by_source
from sparktui.report.page.parts import Block, Bullets, Section

_SAID_ELSEWHERE = frozenset({"context", "prefill", "memory"})


def meaning_section(kinds: Kinds) -> Section | None:
    """The sentences that the runs' own figures allow; those of long context stand with its figures. None where nothing is known."""
    found = _said(kinds)
    sentences = [one for one in found if one.topic not in _SAID_ELSEWHERE] if len(kinds.all) > 1 else found
    return Section("meaning", "What the numbers mean", (_bullets(sentences),)) if sentences else None


def sentences_on(kinds: Kinds, topic: str) -> list[Block]:
    """What several runs say of one topic; [] where that is nothing."""
    found = [one for one in _said(kinds) if one.topic == topic] if len(kinds.all) > 1 else []
    return [_bullets(found)] if found else []


def _said(kinds: Kinds) -> list[Sentence]:
    """What is known of these runs, sweeps apart. Simulated runs are never held against measured ones."""
    if len(kinds.all) == 1:
        return [sentence for sentence in explain_run(kinds.all[0]) if sentence.known]
    swept = kinds.swept_ids
    rest = [run for run in kinds.all if run.id not in swept]
    found = []
    for runs in by_source(rest):
        mark = f"({SIMULATED_MARK}) " if kinds.mixed and runs[0].simulated else ""
        sentences = explain_cells(runs) if len(runs) > 1 else []
        found += [msgspec.structs.replace(one, text=mark + one.text) for one in sentences if one.known]
    return found


def _bullets(sentences: Sequence[Sentence]) -> Bullets:
    return Bullets(tuple((sentence.text, sentence.formula) for sentence in sentences))
