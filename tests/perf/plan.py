"""What the ground-truth server is told to send: every chunk's time, tokens and text, as plain data in the request."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

_SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su", "ta", "ve", "wi", "xo", "yu"]


@dataclass(frozen=True)
class Send:
    """One event, `at_us` after the request was received. `kind`: role, empty, reasoning or content."""

    at_us: float
    kind: str
    text: str = ""
    tokens: int = 0


@dataclass(frozen=True)
class Plan:
    """`usage`: "asked" (when include_usage asks), "never", or "running" (on every event). What is overdue leaves at once."""

    sends: list[Send] = field(default_factory=list)
    usage: str = "asked"

    @property
    def tokens(self) -> int:
        return sum(send.tokens for send in self.sends)

    def params(self) -> dict[str, Any]:
        """As extra parameters of a request."""
        return {"plan": asdict(self)}


def words(count: int, rng: random.Random) -> str:
    """Made-up words, each one token, with the blank after it."""
    return "".join("".join(rng.choices(_SYLLABLES, k=rng.choice((1, 2, 2, 3)))) + " " for _ in range(count))


def flowing(
    ttft_ms: float, duration_ms: float, chunks: int, tokens: int, *, first_tokens: int = 1, seed: int = 1, usage: str = "asked"
) -> Plan:
    """`tokens` in `chunks` pieces of uneven size at uneven times; the last leaves at `duration_ms`."""
    rng = random.Random(seed)
    gaps = [rng.uniform(0.4, 1.6) for _ in range(chunks - 1)]
    scale = (duration_ms - ttft_ms) * 1000 / sum(gaps)
    counts = [first_tokens] + [1] * (chunks - 1)
    for _ in range(tokens - sum(counts)):
        counts[rng.randrange(1, chunks)] += 1
    at, sends = ttft_ms * 1000, []
    for count, gap in zip(counts, [*gaps, 0.0], strict=True):
        sends.append(Send(at, "content", words(count, rng), count))
        at += gap * scale
    return Plan([Send(0, "role"), *sends], usage)


def story(speed: float = 5, **options: Any) -> Plan:
    """Prose with a draft: 794 tokens in 156 chunks over 26 s, `speed` times as fast."""
    return flowing(600 / speed, 26_000 / speed, 156, 794, **options)


def code(speed: float = 5, **options: Any) -> Plan:
    """Code with a draft: 794 tokens in 49 chunks over 13.9 s."""
    return flowing(1_070 / speed, 13_900 / speed, 49, 794, **options)


def steady(chunks: int = 2_000, gap_us: float = 1_000) -> Plan:
    """One token every `gap_us` microseconds."""
    rng = random.Random(2)
    return Plan([Send(0, "role"), *(Send(100_000 + n * gap_us, "content", words(1, rng), 1) for n in range(chunks))])


def wide(chunks: int = 1_000, gap_us: float = 5_000, tokens: int = 1_000) -> Plan:
    """Many tokens a chunk, a line break after each."""
    rng = random.Random(5)
    text = words(tokens, rng).strip() + "\n"
    return Plan([Send(0, "role"), *(Send(100_000 + n * gap_us, "content", text, tokens) for n in range(chunks))])


def flood(events: int = 20_000) -> Plan:
    """Everything at once."""
    rng = random.Random(3)
    return Plan([Send(0, "content", words(1, rng), 1) for _ in range(events)])


def late_text(before: Sequence[Send], first: str = "content", at_ms: float = 120) -> Plan:
    """Events without text, then three chunks; the first is of kind `first`."""
    rng = random.Random(4)
    kinds = (first, "content", "content")
    return Plan([*before, *(Send((at_ms + 20 * n) * 1000, kind, words(3, rng), 3) for n, kind in enumerate(kinds))])


def told(pieces: Sequence[str], gap_us: float = 2_000) -> Plan:
    """A real text in its own tokens, three a chunk, with no count ever sent."""
    groups = [pieces[n : n + 3] for n in range(0, len(pieces), 3)]
    sends = [Send(50_000 + n * gap_us, "content", "".join(group), len(group)) for n, group in enumerate(groups)]
    return Plan(sends, usage="never")
