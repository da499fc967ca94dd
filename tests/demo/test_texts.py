from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sparktui.core.needle import first_line, haystack, needle_found, needles, question
from sparktui.demo import tokens
from sparktui.demo.answers import answer_to, question_in
from sparktui.demo.needles import needle_answer
from sparktui.demo.texts import shelf
from tests.demo.client import CODE, STORY

MODULES = (*shelf.LRU_MODULES, *shelf.OTHER_MODULES)


def said(prompt: str, turn: int | None = None, **how: object) -> str:
    return "".join(answer_to(question_in(prompt, None), turn, **how).pieces)  # type: ignore[arg-type]


def test_the_python_modules_pass_their_own_tests(tmp_path: Path) -> None:
    for number, text in enumerate(MODULES):
        blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        assert len(blocks) == 2
        name = blocks[0].splitlines()[0].removeprefix("# ").removesuffix(".py")
        for block in blocks:
            path = tmp_path / block.splitlines()[0].removeprefix("# ").replace(name, f"{name}_{number}")
            path.write_text(block.replace(name, f"{name}_{number}"))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert re.search(r"\d\d passed", run.stdout)


@pytest.mark.parametrize("text", shelf.STORIES)
def test_prose_has_about_four_characters_a_token(text: str) -> None:
    shown = tokens.pieces(text)[:794]
    assert len("".join(shown)) / len(shown) == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("text", MODULES)
def test_code_has_about_three_characters_a_token(text: str) -> None:
    shown = tokens.pieces(text)[:794]
    assert len("".join(shown)) / len(shown) == pytest.approx(3.0, rel=0.1)


def test_there_is_enough_text_and_it_does_not_repeat() -> None:
    shelf_text = "\n".join(shelf.STORIES)
    assert tokens.count(shelf_text) > 2_000
    sentences = [sentence.strip() for sentence in re.split(r"(?<=[.!?”])\s+", shelf_text) if len(sentence) > 40]
    assert len(sentences) == len(set(sentences))


def test_the_texts_hold_characters_beyond_ascii() -> None:
    assert all(any(ord(char) > 127 for char in text) for text in shelf.STORIES)
    assert {"é", "—", "“", "”"} <= set("".join(shelf.STORIES))


def test_the_prompt_decides_what_is_said() -> None:
    assert said(CODE).startswith("```python\n# lru_cache.py")
    assert "token_bucket" in said("Write a rate limiter module in Python.")
    assert "```" not in said(STORY)
    assert said(STORY) in shelf.STORIES
    assert "```" not in said("Write a poem about source code.")
    assert said("How do tides work?").startswith("I am the demo server")
    assert said("Once upon a", raw=True) in shelf.STORIES


def test_a_context_before_the_prompt_does_not_count() -> None:
    assert said("a story about words and stories. " * 400 + "\n\n" + CODE).startswith("```python")


def test_at_temperature_0_a_prompt_has_one_text_and_above_it_they_take_turns() -> None:
    assert said(STORY) == said(STORY)
    assert len({said(STORY, turn) for turn in range(5)}) == 5
    assert len({said(CODE, turn) for turn in range(3)}) == 3


def test_the_reference_runs_reach_794_tokens() -> None:
    assert all(len(tokens.pieces(said(STORY, turn))) > 794 for turn in (None, 0, 1, 2, 3, 4))
    lengths = [len(tokens.pieces(said(CODE, turn))) for turn in (0, 1, 2)]
    assert sorted(length > 794 for length in lengths) == [False, True, True]
    assert min(lengths) > 690


def test_through_a_gateway_some_stories_end_early() -> None:
    lengths = [len(tokens.pieces(said(STORY, turn, early_ends=True))) for turn in (1, 2, 3)]
    assert lengths[0] == pytest.approx(735, abs=6)
    assert lengths[1] == pytest.approx(780, abs=12)
    assert lengths[2] > 794


def test_more_words_bring_more_stories() -> None:
    assert len(said("Write a story of 2,000 words.").split()) >= 2_000
    assert len(said("Write a story of 999999 words.").split()) > 3_500


def test_a_stop_string_ends_the_answer_before_it() -> None:
    answer = answer_to(question_in(STORY, None), None, stops=("never here", " and", "."))
    assert answer.stopped in (" and", ".")
    assert "and" not in "".join(answer.pieces)


@pytest.mark.parametrize("asked", [(0,), (1,), (2,), (0, 1, 2)])
def test_needles_are_really_looked_up(asked: tuple[int, ...]) -> None:
    spots = needles((0.1, 0.5, 0.9), 7)
    prompt = first_line("r1") + haystack(40_000, spots, 7) + question([spots[n] for n in asked])
    answer = needle_answer(prompt)
    assert answer is not None
    assert [needle_found(spot.code, answer) for spot in spots] == [n in asked for n in range(3)]


def test_another_wording_of_a_needle() -> None:
    straw = "Nothing happened on that day in 1873. " * 200
    prompt = f"{straw}The magic number for the old mill is 884213. {straw}\n\nWhat is the magic number for the old mill?"
    assert "884213" in (needle_answer(prompt) or "")


def test_a_needle_that_is_not_there_is_not_found() -> None:
    answer = needle_answer("Nothing happened on that day in 1873. " * 200 + "\n\nWhat is the secret code of the mill?")
    assert answer is not None
    assert not re.search(r"\d", answer)


@pytest.mark.parametrize("prompt", [STORY, CODE, "What is the code of 1234?", "straw " * 1_000 + "\n\n" + CODE])
def test_other_prompts_are_no_needle_questions(prompt: str) -> None:
    assert needle_answer(prompt) is None
