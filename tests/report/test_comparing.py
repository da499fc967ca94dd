"""Comparisons: what belongs together, the numbers of docs/metrics.md, and every word."""

from __future__ import annotations

from sparktui.core.records import RunParams, RunRecord, ServerInfo
from sparktui.report.comparing import Side, cell_table, comparison_table, match, remarks
from sparktui.report.table import plain_lines
from tests.runs import run


def side(name: str, speeds: list[float], start: int = 0, **fields: object) -> Side:
    return Side(name, tuple(run(start + n, label=name, client_tok_s=speed, **fields) for n, speed in enumerate(speeds)))


def of(reference: list[RunRecord], prompt: str, temperature: float) -> Side:
    name = f"{prompt} {temperature}"
    fits = (r for r in reference if r.label == "reference v0.1.0" and r.prompt.name == prompt and r.params.temperature == temperature)
    return Side(name, tuple(fits))


def test_the_published_temperatures(reference: list[RunRecord]) -> None:
    (story,) = match(of(reference, "story", 1.0), [of(reference, "story", 0)])
    cells = comparison_table(story).rows[0].cells
    assert cells[1:5] == ("31.8", "+1.6", "1.053", "1.015 – 1.094")
    assert cells[6] == "▲ faster by 1–9 %"
    (code,) = match(of(reference, "code", 0), [of(reference, "code", 1.0)])
    assert comparison_table(code).rows[0].cells[4] == "0.859 – 1.040"
    assert comparison_table(code).rows[0].cells[6] == "= no difference shown"
    assert code.differences == ("code 1.0: temperature 1.0",)
    assert remarks(code)[0] == "Not the same question: code 1.0: temperature 1.0."


def test_words_and_the_two_tok_s_rule() -> None:
    a = side("shipped", [57.1, 57.3, 57.7])
    b = side("chunk 4096", [57.0, 56.4, 57.9], 10)
    c = side("thr 0.6", [54.1, 54.8, 55.1], 20)
    (matched,) = match(a, [b, c])
    assert [row.cells[6] for row in comparison_table(matched).rows] == ["= no difference shown", "▼ slower by 3–7 %"]
    text = "\n".join(remarks(matched))
    assert "within ±2 tok/s of A: chunk 4096 inside; thr 0.6 outside" in text
    assert "2 comparisons against one A: Holm's correction" in text
    assert "95 % interval" in text


def test_one_comparison_says_nothing_of_holm() -> None:
    (matched,) = match(side("a", [50.0, 51.0, 52.0]), [side("b", [60.0, 61.0, 62.0], 10)])
    assert "Holm" not in "\n".join(remarks(matched))


def test_too_few_runs_have_no_interval() -> None:
    (matched,) = match(side("a", [57.1, 57.3]), [side("b", [50.0, 51.0, 52.0], 10)])
    row = comparison_table(matched).rows[0].cells
    assert (row[4], row[5]) == ("–", "– too few runs (n = 2)")
    assert "With fewer than 3 counted runs a side nothing can be told." in remarks(matched)


def test_runs_that_do_not_count_are_not_compared() -> None:
    a = side("a", [57.1, 57.3, 57.7])
    spoiled = Side("b", (*side("b", [57.0, 57.2, 57.4], 10).runs, run(20, label="b", client_tok_s=9.0, flags=("not_idle",))))
    (matched,) = match(a, [spoiled])
    assert comparison_table(matched).rows[0].cells[1] == "57.2"
    assert cell_table((matched.a, *matched.bs), ("A", "B")).rows[1].cells[5] == "1"


def test_cells_meet_by_prompt_and_parameters() -> None:
    a = Side("a", (*side("a", [57.0]).runs, run(1, label="a", prompt="story", temperature=1.0)))
    b = Side("b", (run(10, label="b"), run(11, label="b", prompt="story", temperature=1), run(12, label="b", prompt="other")))
    assert [matched.heading for matched in match(a, [b])] == ["code, temperature 0", "story, temperature 1.0"]
    assert match(a, [Side("c", (run(20, prompt="x"), run(21, prompt="y")))]) == []


def test_of_several_models_the_same_one_is_taken() -> None:
    other = ServerInfo(kind="tabbyapi", base_url="http://127.0.0.1:5000", model="other")
    b = Side("b", (run(10, label="b", server=other, client_tok_s=1.0), run(11, label="b", client_tok_s=2.0)))
    (matched,) = match(side("a", [57.0]), [b])
    assert matched.comparisons[0].median_b == 2.0


def test_other_parameters_are_named() -> None:
    b = Side("b", (run(10, params=RunParams(temperature=0, max_tokens=400, extra={"top_k": 1}), prompt="story"),))
    (matched,) = match(side("a", [57.0]), [b])
    assert matched.differences == ("b: prompt story, max_tokens 400, other parameters",)


def test_b23_sides_on_other_server_versions_are_noted() -> None:
    old, new = (ServerInfo(kind="llamacpp", base_url="http://h:1", model="m", version=version) for version in ("b5500", "b9000"))
    (matched,) = match(side("a", [50.0, 51.0, 52.0], server=old), [side("b", [50.0, 51.0, 52.0], 10, server=new)])
    assert "Server versions differ: b5500, b9000; what they count as drafted may differ too." in remarks(matched)
    (matched,) = match(side("a", [50.0, 51.0, 52.0], server=old), [side("b", [50.0, 51.0, 52.0], 10, server=old)])
    assert not [line for line in remarks(matched) if "versions" in line]


def test_a_table_of_estimates_says_so() -> None:
    lines = plain_lines(cell_table([side("a", [29.0, 30.0], tokens_estimated=True)]))
    assert "≈ 29.5" in lines[1]
