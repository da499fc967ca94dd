"""config.yml as typed values; every field has its default here and nowhere else. Reading the file is io.configfile's work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct, field

KINDS = ("auto", "tabbyapi", "llamacpp", "vllm", "sglang", "ollama", "lmstudio", "openai")


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class TlsConfig(Section, frozen=True):
    verify: bool = True
    ca_file: str | None = None


class ServerConfig(Section, frozen=True):
    base_url: str = "auto"
    kind: Literal["auto", "tabbyapi", "llamacpp", "vllm", "sglang", "ollama", "lmstudio", "openai"] = "auto"
    model: str | None = None
    api_key: str | None = None
    api_key_file: str | None = None
    admin_key: str | None = None
    connect_timeout_s: float = 10
    idle_timeout_s: float = 0
    tls: TlsConfig = field(default_factory=TlsConfig)


class LogConfig(Section, frozen=True):
    source: str | None = None
    command: tuple[str, ...] = ()
    tabbyapi_dir: str | None = None


class DefaultsConfig(Section, frozen=True):
    temperature: int | float | None = 1.0
    max_tokens: int = 800


class PromptConfig(Section, frozen=True):
    """`text` or `file`; `params` go into the request body as they are; `schema` asks for structured output."""

    text: str | None = None
    file: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    schema: dict[str, Any] | None = None


class BenchConfig(Section, frozen=True):
    prompts: tuple[str, ...] = ("story",)
    temps: tuple[int | float | None, ...] = (1.0, 0)
    runs: int = 3
    warmup: int = 1
    parallel: int = 1
    label: str = "default"


class NeedleConfig(Section, frozen=True):
    lengths: tuple[int, ...] = (100_000,)
    depths: tuple[float, ...] = (0.5,)
    seed: int = 1


class VariantConfig(Section, frozen=True):
    name: str
    load: dict[str, Any] | None = None
    params: dict[str, Any] | None = None
    command: tuple[str, ...] | None = None
    manual: str | None = None
    health_wait_s: float = 300


class RestoreConfig(Section, frozen=True):
    """How the server gets back to what it was: what a load must name beyond what the server tells, or a command."""

    load: dict[str, Any] | None = None
    command: tuple[str, ...] | None = None


class SweepConfig(Section, frozen=True):
    """`warmup`: runs after each change of the server, not counted. `max_tokens` None: as in `defaults`. `baseline`: a variant's name."""

    prompt: str = "code"
    runs: int = 3
    warmup: int = 1
    temperature: int | float | None = 0
    max_tokens: int | None = None
    baseline: str | None = None
    restore: RestoreConfig = field(default_factory=RestoreConfig)
    context_tokens: int = 0
    order: Literal["interleaved", "shuffled"] = "interleaved"
    seed: int = 1
    variants: tuple[VariantConfig, ...] = ()


class HistoryConfig(Section, frozen=True):
    keep_text: bool = True
    journal_days: int = 14
    journal_mb: int = 500


class UiConfig(Section, frozen=True):
    theme: str = "gruvbox"
    view: Literal["chunks", "heat", "plain"] = "chunks"
    fps: int | Literal["auto"] = "auto"
    glyphs: Literal["auto", "unicode", "ascii"] = "auto"
    mouse: bool = True


class Config(Section, frozen=True):
    server: ServerConfig = field(default_factory=ServerConfig)
    log: LogConfig = field(default_factory=LogConfig)
    defaults: DefaultsConfig = field(default_factory=DefaultsConfig)
    prompts: dict[str, PromptConfig] = field(default_factory=dict)
    bench: BenchConfig = field(default_factory=BenchConfig)
    baseline_tok_s: float | None = None
    needle: NeedleConfig = field(default_factory=NeedleConfig)
    sweep: SweepConfig = field(default_factory=SweepConfig)
    history: HistoryConfig = field(default_factory=HistoryConfig)
    ui: UiConfig = field(default_factory=UiConfig)


def leaves(value: Struct, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every dotted key of a config with its value; lists and maps are one leaf each."""
    for name in value.__struct_fields__:
        inner = getattr(value, name)
        if isinstance(inner, Struct):
            yield from leaves(inner, f"{prefix}{name}.")
        else:
            yield prefix + name, inner
