"""What a config may start: every command of a sweep is asked about and left out together, the last one included."""

from __future__ import annotations

from sparktui.core.config import Config, LogConfig, RestoreConfig, SweepConfig, VariantConfig
from sparktui.io.config.consent import commands_of, shown, without_commands

CONFIG = Config(
    log=LogConfig(command=("tail", "-F", "x")),
    sweep=SweepConfig(
        variants=(VariantConfig(name="a", command=("start", "a b")), VariantConfig(name="b", load={})),
        restore=RestoreConfig(command=("start", "shipped"), load={}),
    ),
)


def test_every_command_is_asked_about() -> None:
    assert shown(commands_of(CONFIG)) == ("tail -F x", "start 'a b'", "start shipped")


def test_without_consent_none_is_left() -> None:
    left = without_commands(CONFIG)
    assert commands_of(left) == ()
    assert [variant.name for variant in left.sweep.variants] == ["b"]
    assert left.sweep.restore.load == {}
