"""Every figure as text, one format for console, exports to Markdown, and widgets. Units are written only where the name says so.

All functions take None and give ABSENT for it, and ABSENT for numbers that are not finite. `estimated` puts "≈ " before the number.
"""

from __future__ import annotations

import math
from datetime import datetime

ABSENT = "–"
APPROXIMATELY = "≈"
MINUS = "−"
TIMES = "×"
EN_DASH = "–"

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_GIGABYTE = 1e9
_GIBIBYTE = 2**30


def known(value: float | None) -> bool:
    """True where `value` is a finite number."""
    return value is not None and math.isfinite(value)


def mark(text: str, estimated: bool) -> str:
    """`text` with "≈ " before it when it is an estimate; an absent figure is never marked."""
    return f"{APPROXIMATELY} {text}" if estimated and text != ABSENT else text


def fixed(value: float | None, decimals: int, *, estimated: bool = False) -> str:
    """A number with so many decimals, a decimal point, thousands commas, and a true minus: "1,234.5", "−2.5"."""
    if value is None or not math.isfinite(value):
        return ABSENT
    text = f"{value:,.{decimals}f}"
    if text.startswith("-"):
        text = text[1:] if not text.strip("-0.,") else MINUS + text[1:]
    return mark(text, estimated)


def tok_s(value: float | None, *, estimated: bool = False) -> str:
    """tokens/s: "57.1"; from 1,000 up without decimals."""
    many = value is not None and math.isfinite(value) and round(abs(value), 1) >= 1000
    return fixed(value, 0 if many else 1, estimated=estimated)


def tok_s_now(value: float | None) -> str:
    """The live digits: "59", without decimals."""
    return fixed(value, 0)


def seconds_number(value: float | None, *, estimated: bool = False) -> str:
    """TTFT, prefill, queue, decode for a column in seconds: "1.08"; from 100 up "125"."""
    long = value is not None and math.isfinite(value) and round(abs(value), 2) >= 100
    return fixed(value, 0 if long else 2, estimated=estimated)


def seconds(value: float | None, *, estimated: bool = False) -> str:
    """TTFT, prefill, queue, decode: "1.08 s"; from 100 up "125 s"."""
    return _with_unit(seconds_number(value, estimated=estimated), "s")


def tenths(value: float | None) -> str:
    """A decode time in a run table: "26.7 s"; from 100 up "125 s"."""
    long = value is not None and math.isfinite(value) and round(abs(value), 1) >= 100
    return _with_unit(fixed(value, 0 if long else 1), "s")


def connect(value_s: float | None) -> str:
    """A connection time: "3 ms"."""
    return _with_unit(fixed(None if value_s is None else value_s * 1000, 0), "ms")


def elapsed(value_s: float | None) -> str:
    """Elapsed and total time: "7.2 s"; from 100 up "2:05"; from an hour up "1:02:05"."""
    if value_s is None or not math.isfinite(value_s):
        return ABSENT
    return f"{fixed(value_s, 1)} s" if round(value_s, 1) < 100 else clock(value_s)


def clock(value_s: float | None) -> str:
    """Minutes and seconds: "1:34", "0:07"; from an hour up "1:02:05"."""
    if value_s is None or not math.isfinite(value_s):
        return ABSENT
    minutes, second = divmod(max(0, round(value_s)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minutes}:{second:02}"


def eta(value_s: float | None) -> str:
    """Time left: "≈ 1:34 left"."""
    text = clock(value_s)
    return text if text == ABSENT else f"{APPROXIMATELY} {text} left"


def gap_number(value_ms: float | None) -> str:
    """A gap between chunks in a column of milliseconds: "290"; below 10 with one decimal."""
    short = value_ms is not None and math.isfinite(value_ms) and 0 < round(abs(value_ms), 1) < 10
    return fixed(value_ms, 1 if short else 0)


def gap_ms(value_ms: float | None) -> str:
    """A gap between chunks: "290 ms"; below 10 ms "0.4 ms"."""
    return _with_unit(gap_number(value_ms), "ms")


def step_ms(value_ms: float | None, *, estimated: bool = False) -> str:
    """A verify step or TPOT: "93.3 ms"."""
    return _with_unit(fixed(value_ms, 1, estimated=estimated), "ms")


def count(value: float | None, *, estimated: bool = False) -> str:
    """Tokens, chunks, steps: "794", "100,000"."""
    return fixed(value, 0, estimated=estimated)


def context(tokens: int | None) -> str:
    """A context length: 393216 → "384k", 128000 → "128k", 1048576 → "1M"."""
    if tokens is None:
        return ABSENT
    if tokens < 1000:
        return str(tokens)
    base = 1024 if tokens % 1024 == 0 and tokens % 1000 else 1000
    thousands = round(tokens / base)
    return f"{thousands // base}M" if thousands >= base and thousands % base == 0 else f"{thousands:,}k"


def per_chunk(value: float | None, *, estimated: bool = False) -> str:
    """Tokens per chunk, number only: "16.2"."""
    return fixed(value, 1, estimated=estimated)


def per_step(value: float | None, *, estimated: bool = False) -> str:
    """Tokens (or drafted tokens) per verify step, number only: "5.33"."""
    return fixed(value, 2, estimated=estimated)


def percent(rate: float | None) -> str:
    """A rate 0..1: "89.8 %"."""
    return _with_unit(percent_number(rate), "%")


def percent_number(rate: float | None) -> str:
    """A rate 0..1 for a column in percent: "89.8"."""
    return fixed(None if rate is None else 100 * rate, 1)


def drafts(accepted: int | None, proposed: int | None, *, tight: bool = False) -> str:
    """Accepted of proposed draft tokens: "645 / 718", in tables (`tight`) "645/718"."""
    if accepted is None or proposed is None:
        return ABSENT
    return f"{count(accepted)}{'/' if tight else ' / '}{count(proposed)}"


def acceptance(accepted: int | None, proposed: int | None) -> str:
    """The reference table's column: "645 / 718 (89.8 %)"; without proposals there is no rate."""
    if accepted is None or proposed is None:
        return ABSENT
    rate = f" ({percent(accepted / proposed)})" if proposed else ""
    return drafts(accepted, proposed) + rate


def burstiness(value: float | None) -> str:
    """Always signed: "+0.60"."""
    return _signed(value, 2)


def burst_word(value: float | None) -> str:
    """What a burstiness means: "bursty" from +0.45 up, "flowing" from 0, else "steady"; "" when unknown."""
    if value is None or not math.isfinite(value):
        return ""
    return "bursty" if value >= 0.45 else "flowing" if value >= 0 else "steady"


def times(value: float | None) -> str:
    """Speed-up and step cost: "1.97 ×"."""
    return _with_unit(fixed(value, 2), TIMES)


def ratio(value: float | None) -> str:
    """A ratio of two medians: "0.956"."""
    return fixed(value, 3)


def interval(low: float | None, high: float | None) -> str:
    """A 95 % interval: "0.941 – 0.978"."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return ABSENT
    return f"{ratio(low)} {EN_DASH} {ratio(high)}"


def difference(value: float | None) -> str:
    """A difference in tok/s, always signed: "−2.5", "+0.1"."""
    return _signed(value, 1)


def gigabytes_number(value_bytes: float | None) -> str:
    """Memory for a column in GB of 10⁹ bytes: "106.2"."""
    return fixed(None if value_bytes is None else value_bytes / _GIGABYTE, 1)


def gigabytes(value_bytes: float | None) -> str:
    """Memory in GB of 10⁹ bytes: "106.2 GB"."""
    return _with_unit(gigabytes_number(value_bytes), "GB")


def gibibytes(value_bytes: float | None) -> str:
    """Memory in GiB of 2³⁰ bytes, as engines account for cache pools: "2.52 GiB"."""
    return _with_unit(fixed(None if value_bytes is None else value_bytes / _GIBIBYTE, 2), "GiB")


def temperature(value: float | None) -> str:
    """As it was given: "0", "1.0"; "unset" where none was sent."""
    return "unset" if value is None else repr(value)


def short_id(request_id: str | None) -> str:
    """The first six characters of a request id."""
    return request_id[:6] if request_id else ABSENT


def local_time(stamp: str) -> datetime | None:
    """A record's UTC stamp in the machine's own time zone; None where it is not a date."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return moment.astimezone()


def when(stamp: str, today: datetime) -> str:
    """A run's time in a list: "12:04" on the day of `today`, "Nov 30" within its year, else "2025-11"."""
    moment = local_time(stamp)
    if moment is None:
        return ABSENT
    if moment.date() == today.date():
        return f"{moment:%H:%M}"
    return f"{_MONTHS[moment.month - 1]} {moment.day}" if moment.year == today.year else f"{moment.year}-{moment.month:02}"


def when_exactly(stamp: str, *, seconds_too: bool = True) -> str:
    """Date and time: "2026-11-30 12:04:31"."""
    moment = local_time(stamp)
    if moment is None:
        return ABSENT
    return f"{moment:%Y-%m-%d %H:%M:%S}" if seconds_too else f"{moment:%Y-%m-%d %H:%M}"


def _with_unit(number: str, unit: str) -> str:
    return number if number == ABSENT else f"{number} {unit}"


def _signed(value: float | None, decimals: int) -> str:
    text = fixed(value, decimals)
    return text if text == ABSENT or text.startswith(MINUS) else f"+{text}"
