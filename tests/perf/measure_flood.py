"""As fast as possible: how many events a second are read, stamped, decoded and folded, and what memory that takes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.perf.bench import ROOT, Row, TruthServer, truth_server
from tests.perf.plan import flood

_EVENTS = 20_000
_LEAST = 30_000
_MEMORY_MB = 60


def throughput() -> Iterator[Row]:
    """The best of five, since other programs share the machine, and whether each said that it was the client's own pace."""
    rates, flagged = [], []
    with truth_server() as server:
        for _ in range(5):
            record, _ = server.run(flood(_EVENTS))
            rates.append(record.chunks / (record.decode_s or 1.0))
            flagged.append("client_bound" in record.flags)
    text = f"{max(rates):,.0f} events/s (of {', '.join(f'{rate:,.0f}' for rate in rates)})"
    yield Row(f"{_EVENTS:,} events at once", text, f"≥ {_LEAST:,}/s", max(rates) >= _LEAST)
    yield Row("… flagged client_bound", f"{sum(flagged)} of {len(flagged)} runs", "all", all(flagged))


def memory() -> Iterator[Row]:
    """Peak resident memory of a process that makes one run of 20,000 chunks and keeps its record."""
    with truth_server() as server:
        command = [sys.executable, "-m", "tests.perf.measure_flood", str(server.port)]
        told = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    text = f"{told['peak_mb']:.1f} MB ({told['chunks']:,} chunks; {told['start_mb']:.1f} before the run)"
    yield Row("peak memory of a 20,000-chunk run", text, f"≤ {_MEMORY_MB} MB", told["peak_mb"] <= _MEMORY_MB)


def peak_rss_mb() -> float:
    """Peak resident memory of this process so far."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _one(port: int) -> None:
    server = TruthServer(port)
    start_mb = peak_rss_mb()
    plan = flood(_EVENTS)
    record, _ = server.run(plan)
    server.target.close()
    print(json.dumps({"peak_mb": peak_rss_mb(), "start_mb": start_mb, "chunks": record.chunks}))


if __name__ == "__main__":
    _one(int(sys.argv[1]))
