"""config.yml: strict, positions in every error, nothing secret in any of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparktui.core.config import Config
from sparktui.errors import ConfigError
from sparktui.io.config import consent
from sparktui.io.config.configfile import LoadedConfig, Override, load_config

CASES = Path(__file__).parents[1] / "fixtures" / "cases"
SHIPPED = Path(__file__).parents[2] / "config.yml"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))


def load(tmp_path: Path, text: str | bytes, env: dict[str, str] | None = None, **overrides: object) -> LoadedConfig:
    file = tmp_path / "some.yml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    file.chmod(0o600)
    laid = {key.replace("__", "."): Override(value, f"option {key}") for key, value in overrides.items()}
    return load_config(file, env or {}, laid, cwd=tmp_path)


def refused(tmp_path: Path, text: str | bytes, env: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text, env)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_the_shipped_file_says_the_defaults() -> None:
    loaded = load_config(SHIPPED, {})
    assert loaded.config == Config()
    assert not loaded.notes
    assert {key for key, origin in loaded.origins.items() if origin == "default"} == set()


def test_every_value_has_an_origin(tmp_path: Path) -> None:
    env = {"SPARKTUI_MODEL": "m-env", "SPARKTUI_BASE_URL": "http://env:1", "SPARKTUI_LOG": "", "SPARKTUI_KIND": "vllm"}
    loaded = load(tmp_path, "server:\n  base_url: http://file:1\n  kind: tabbyapi\nbench: {runs: 5}\n", env, server__base_url="http://opt:1")
    assert loaded.config.server.base_url == "http://opt:1"
    assert loaded.config.server.model == "m-env"
    assert loaded.config.server.kind == "vllm"
    assert loaded.config.bench.runs == 5
    assert loaded.origins["server.base_url"] == "option server__base_url"
    assert loaded.origins["server.model"] == "environment SPARKTUI_MODEL"
    assert loaded.origins["bench.runs"].endswith("some.yml:4")
    assert loaded.origins["log.source"] == "default"


def test_an_environment_kind_that_does_not_exist(tmp_path: Path) -> None:
    assert "environment SPARKTUI_KIND" in refused(tmp_path, "", {"SPARKTUI_KIND": "tabyapi"})
    assert "tabbyapi" in refused(tmp_path, "", {"SPARKTUI_KIND": "tabyapi"})


def test_f01_tab_unclosed_quote_and_duplicate_key(tmp_path: Path) -> None:
    message = refused(tmp_path, (CASES / "F01" / "bad.yaml").read_bytes())
    assert "some.yml:2:1: a tab" in message
    assert "SPK-CANARY" not in message
    quote = refused(tmp_path, 'server:\n  model: x\n  api_key: "SPK-CANARY\n')
    assert "some.yml:3:12: a quote opened here is never closed" in quote
    assert "SPK-CANARY" not in quote
    twice = refused(tmp_path, "server:\n  api_key: SPK-CANARY\n  api_key: SPK-CANARY2\n")
    assert "some.yml:3:3: `server.api_key` is given twice; first on line 2" in twice
    assert "SPK-CANARY" not in twice


@pytest.mark.parametrize(
    "line",
    [
        "api_key: *SPKCANARY", "api_key: @SPKCANARY", "api_key: !SPKCANARY x", "api_key: &SPKCANARY", "api_key: a: SPKCANARY",
        "api_key: [SPKCANARY", "api_key: [SPKCANARY]", "api_key: {SPKCANARY: 1}", 'api_key: "\\q SPKCANARY"', "api_key: |SPKCANARY",
        "api_key: }SPKCANARY", "SPKCANARY", "connect_timeout_s: SPKCANARY", "tls: SPKCANARY", "api_key: ${SPKCANARY",
    ],
)  # fmt: skip
def test_f01_no_mistake_shows_a_value(tmp_path: Path, line: str) -> None:
    message = refused(tmp_path, f"server:\n  model: x\n  {line}\n")
    assert "some.yml:3" in message or "some.yml:4" in message
    assert "SPKCANARY" not in message
    assert "→" in message


def test_f02_unknown_key_names_the_nearest(tmp_path: Path) -> None:
    message = refused(tmp_path, (CASES / "F02" / "typo.yaml").read_bytes())
    assert "some.yml:2:3: unknown key `server.base_ulr`" in message
    assert "Did you mean `base_url`?" in message
    assert "It belongs below `server`" in refused(tmp_path, "api_key: x\n")
    assert "Known here:" in refused(tmp_path, "ui:\n  zzz: 1\n")


def test_f03_text_stays_as_written(tmp_path: Path) -> None:
    message = refused(tmp_path, (CASES / "F03" / "types.yaml").read_bytes())
    assert "some.yml:1:1: unknown key `api_key`" in message
    loaded = load(
        tmp_path,
        "server:\n  api_key: 0123456\n  model: 3.10\nbench:\n  label: no\nprompts:\n  on: {text: 2030-01-01}\n  off: {text: 1e5}\n",
    )
    assert loaded.config.server.api_key == "0123456"
    assert loaded.config.server.model == "3.10"
    assert loaded.config.bench.label == "no"
    assert {name: prompt.text for name, prompt in loaded.config.prompts.items()} == {"on": "2030-01-01", "off": "1e5"}


def test_f03_numbers_keep_the_form_they_were_given_in(tmp_path: Path) -> None:
    temps = load(tmp_path, "bench: {temps: [1.0, 0, unset, .5]}\nneedle: {lengths: [1e5, 100_000]}\n").config
    assert [repr(t) for t in temps.bench.temps] == ["1.0", "0", "None", "0.5"]
    assert temps.needle.lengths == (100_000, 100_000)


def test_free_values_are_read_as_json_would(tmp_path: Path) -> None:
    text = "prompts:\n  a:\n    text: x\n    params: {top_p: 0.9, n: 1, stop: ['no', no], seed: null, flag: true, zip: 0123}\n"
    params = load(tmp_path, text).config.prompts["a"].params
    assert params == {"top_p": 0.9, "n": 1, "stop": ["no", "no"], "seed": None, "flag": True, "zip": "0123"}


def test_a_character_written_as_json_writes_it_is_one_and_half_of_one_is_refused(tmp_path: Path) -> None:
    assert load(tmp_path, '{"bench": {"label": "\\ud83c\\udf0d"}}').config.bench.label == "🌍"
    assert "some.yml:2:10: an escape" in refused(tmp_path, 'bench:\n  label: "\\ud83c"\n')


def test_f04_environment_values(tmp_path: Path) -> None:
    env = {"SPARK_K": '!a:"b#c'}
    assert load(tmp_path, "server:\n  api_key: ${SPARK_K}\n", env).config.server.api_key == '!a:"b#c'
    message = refused(tmp_path, "server:\n  model: x\n  api_key: ${SPARK_UNSET}\n", env)
    assert "some.yml:3:12" in message
    assert "SPARK_UNSET" in message
    loaded = load(tmp_path, "server:\n  api_key: ${SPARK_UNSET:-fall}-$$x-$5\nprompts:\n  p: {text: 'costs $5 and ${HOME_NOT}'}\n", env)
    assert loaded.config.server.api_key == "fall-$x-$5"
    assert loaded.config.prompts["p"].text == "costs $5 and ${HOME_NOT}"
    assert load(tmp_path, "server: {api_key: '${SPARK_UNSET:-}', base_url: '${SPARK_UNSET:-}'}\n").config == Config()


def test_f08_readable_file_with_a_key_is_mentioned(tmp_path: Path) -> None:
    file = tmp_path / "open.yml"
    file.write_text("server:\n  api_key: abc\n", encoding="utf-8")
    file.chmod(0o644)
    notes = load_config(file, {}, cwd=tmp_path).notes
    assert "chmod 600" in notes[0]
    assert "abc" not in notes[0].replace("open.yml", "")
    file.write_text("server:\n  api_key: ${K:-abc}\n", encoding="utf-8")
    assert load_config(file, {}, cwd=tmp_path).notes == ()


def test_f09_empty_null_list_and_text(tmp_path: Path) -> None:
    for text in ("", "null\n", "~", "# only a comment\n", "---\n"):
        loaded = load(tmp_path, text)
        assert loaded.config == Config()
        assert "empty" in loaded.notes[0]
    assert "some.yml:1:1: the file is a list" in refused(tmp_path, (CASES / "F09" / "list.yaml").read_bytes())
    assert "the file is plain text" in refused(tmp_path, "hello\n")


def test_f10_files_from_windows(tmp_path: Path) -> None:
    loaded = load(tmp_path, (CASES / "F10" / "bom.yaml").read_bytes())
    assert loaded.config.server.base_url == "http://127.0.0.1:1/v1"
    assert load(tmp_path, b"\xef\xbb\xbfserver:\r\n  model: a b\r\n").config.server.model == "a b"
    assert "UTF-16" in refused(tmp_path, "server:\n".encode("utf-16"))
    assert "UTF-16" in refused(tmp_path, "server:\n".encode("utf-16-le"))
    assert "some.yml:2: a character is not UTF-8" in refused(tmp_path, b"server:\n  model: \xe9\n")


def test_f11_tabbyapis_own_key_file(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.yml"
    tokens.write_bytes((CASES / "F11" / "tokens.yml").read_bytes())
    tokens.chmod(0o600)
    loaded = load(tmp_path, "server:\n  api_key_file: tokens.yml\n")
    assert loaded.config.server.api_key == "aaaa"
    assert loaded.config.server.admin_key is None
    assert loaded.origins["server.api_key"] == f"file {tokens}"
    assert loaded.secrets == ("aaaa",)
    tokens.write_text("api_key: bbbb\nadmin_key: cccc\n", encoding="utf-8")
    assert load(tmp_path, "server:\n  api_key_file: tokens.yml\n").config.server.api_key == "bbbb"
    tokens.write_text("admin_key: cccc\n", encoding="utf-8")
    assert "cccc" not in refused(tmp_path, "server:\n  api_key_file: tokens.yml\n")


def test_a39_key_forms(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("  SPK-CANARY\r\n", encoding="utf-8")
    file.chmod(0o600)
    assert load(tmp_path, "server: {api_key_file: key}\n").config.server.api_key == "SPK-CANARY"
    assert load(tmp_path, "server: {api_key: 'Bearer SPK'}\n").config.server.api_key == "SPK"
    assert load(tmp_path, "", {"SPARKTUI_API_KEY": "  "}).config.server.api_key is None
    message = refused(tmp_path, "", {"SPARKTUI_API_KEY": "\u201cSPK-CANARY\u201d"})
    assert "U+201C" in message
    assert "SPARKTUI_API_KEY" in message
    assert "CANARY" not in message
    assert "CANARY" not in refused(tmp_path, "", {"SPARKTUI_API_KEY": "SPK\nCANARY"})
    file.write_text("one\ntwo\n", encoding="utf-8")
    assert "2 lines" in refused(tmp_path, "server: {api_key_file: key}\n")
    assert "cannot be read" in refused(tmp_path, "server: {api_key_file: nowhere}\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bench: {runs: 0}", "`bench.runs` must lie between 1 and 1,000"),
        ("bench: {runs: 2.5}", "`bench.runs` wants a whole number"),
        ("bench: {temps: 1.0}", "`bench.temps` wants a list"),
        ("bench: {temps: [9]}", "`bench.temps[0]` must lie"),
        ("bench: {prompts: []}", "empty list"),
        ("bench: {prompts: [storry]}", "Did you mean `story`?"),
        ("log: {command: docker logs tabby}", "`log.command` wants a list"),
        ("server: {kind: llama.cpp}", "Did you mean `llamacpp`?"),
        ("server: {connect_timeout_s: .nan}", "wants a number"),
        ("ui: {mouse: maybe}", "wants true or false"),
        ("ui: {fps: fast}", "`ui.fps` wants a whole number or `auto`"),
        ("prompts: {p: {}}", "needs either `text` or `file`"),
        ("sweep: {variants: [{name: a}, {name: a}]}", "empty or taken"),
        ("server: http://x", "`server` wants keys below it"),
        ("server:\n  - x", "`server` wants keys below it"),
        ("? [a]\n: b", "a key must be plain text"),
        ("a: 1\n---\nb: 2\n", "a second document"),
        ("server: {model: \x07}", "control character"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, text: str, words: str) -> None:
    message = refused(tmp_path, text)
    assert words in message
    assert "some.yml:" in message


def test_bool_words_only_where_asked(tmp_path: Path) -> None:
    loaded = load(tmp_path, "ui: {mouse: off}\nserver: {tls: {verify: No}}\nhistory: {keep_text: yes}\n").config
    assert (loaded.ui.mouse, loaded.server.tls.verify, loaded.history.keep_text) == (False, False, True)
    assert load(tmp_path, "ui: {fps: 12}\n").config.ui.fps == 12


def test_paths_are_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    file = tmp_path / "sub" / "c.yml"
    file.write_text("log: {source: tabby/*.log}\nprompts: {p: {file: p.txt}}\n", encoding="utf-8")
    loaded = load_config(file, {}, cwd=tmp_path)
    assert loaded.config.log.source == str(tmp_path / "sub" / "tabby" / "*.log")
    assert loaded.config.prompts["p"].file == str(tmp_path / "sub" / "p.txt")
    option = load_config(file, {}, {"log.source": Override("x.log", "option --log")}, cwd=tmp_path)
    assert option.config.log.source == str(tmp_path / "x.log")
    assert load_config(file, {"SPARKTUI_LOG": "-"}, cwd=tmp_path).config.log.source == "-"


def test_f07_order_of_places(tmp_path: Path) -> None:
    own = tmp_path / "xdg" / "sparktui"
    own.mkdir(parents=True)
    here = tmp_path / "here"
    here.mkdir()
    assert load_config(None, {}, cwd=here).path is None
    (own / "config.yml").write_text("bench: {label: own}\n", encoding="utf-8")
    assert load_config(None, {}, cwd=here).config.bench.label == "own"
    (here / "config.yml").write_text("bench: {label: here}\n", encoding="utf-8")
    assert load_config(None, {}, cwd=here).config.bench.label == "here"
    named = tmp_path / "named.yml"
    named.write_text("bench: {label: named}\n", encoding="utf-8")
    assert load_config(Path("named.yml"), {}, cwd=tmp_path).config.bench.label == "named"
    assert load_config(None, {"SPARKTUI_CONFIG": str(named)}, cwd=here).config.bench.label == "named"
    with pytest.raises(ConfigError, match="There is no config file"):
        load_config(Path("nope.yml"), {}, cwd=tmp_path)


def test_f07_commands_from_the_current_folder_need_consent(tmp_path: Path) -> None:
    file = tmp_path / "config.yml"
    text = "log: {command: [echo, hi]}\nsweep: {variants: [{name: a, command: [sh, x]}, {name: b, manual: swap}]}\n"
    file.write_text(text, encoding="utf-8")
    loaded = load_config(None, {}, cwd=tmp_path)
    assert loaded.unconfirmed == (("echo", "hi"), ("sh", "x"))
    assert loaded.config.log.command == ()
    assert [variant.name for variant in loaded.config.sweep.variants] == ["b"]
    assert load_config(None, {}, cwd=tmp_path, trust=True).config.log.command == ("echo", "hi")
    assert load_config(file, {}, cwd=tmp_path).config.log.command == ("echo", "hi")
    consent.agree(file, loaded.unconfirmed)
    assert load_config(None, {}, cwd=tmp_path).config.log.command == ("echo", "hi")
    assert (tmp_path / "data" / "trusted.json").stat().st_mode & 0o777 == 0o600
    file.write_text(text.replace("hi", "ho"), encoding="utf-8")
    assert load_config(None, {}, cwd=tmp_path).config.log.command == ()


def test_overrides_may_come_as_text(tmp_path: Path) -> None:
    assert load(tmp_path, "", server__idle_timeout_s="2.5").config.server.idle_timeout_s == 2.5
    with pytest.raises(ConfigError, match="wants a number"):
        load(tmp_path, "", server__idle_timeout_s="soon")
    with pytest.raises(ConfigError, match="must lie between"):
        load(tmp_path, "", server__idle_timeout_s="-1")


def test_loading_again_sees_the_edit_and_a_mistake_leaves_the_old_value(tmp_path: Path) -> None:
    before = load(tmp_path, "bench: {runs: 2}\n")
    refused(tmp_path, "bench: {runs: two}\n")
    assert before.config.bench.runs == 2
    assert load(tmp_path, "bench: {runs: 4}\n").config.bench.runs == 4


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_said(tmp_path: Path) -> None:
    file = tmp_path / "some.yml"
    file.write_text("bench: {}\n", encoding="utf-8")
    file.chmod(0)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(file, {}, cwd=tmp_path)
