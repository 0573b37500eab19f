"""Settings come from file, environment and flags in that order, and a typing error is found before the night starts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from filingforest import config
from filingforest.config import Settings
from filingforest.errors import ConfigError

SHIPPED = Path(__file__).parents[2] / "filingforest.toml"


def test_shipped_file_holds_every_key_with_its_default() -> None:
    assert Settings.load(SHIPPED, env={}) == Settings()
    text = SHIPPED.read_text()
    for key in config.every_key():
        section, _, name = key.partition(".")
        body = re.search(rf"^\[{section}\]$(.*?)(?=^\[|\Z)", text, re.M | re.S)
        assert body, key
        assert re.search(rf"^{name} = ", body[1], re.M), key


def test_flag_over_environment_over_file(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("[edgar]\nrate = 1\nretries = 7\ntimeout_s = 9\n")
    env = {"FILINGFOREST_EDGAR_RATE": "2", "FILINGFOREST_EDGAR_RETRIES": "8", "FILINGFOREST_S3_ENDPOINT": "http://x", "OTHER": "1"}
    got = Settings.load(file, {"edgar.rate": 3, "edgar": {"user_agent": None}}, env).edgar
    assert (got.rate, got.retries, got.timeout_s, got.user_agent) == (3.0, 8, 9.0, "")


def test_file_named_by_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("[night]\nforms = ['8-K']\n")
    assert Settings.load(env={"FILINGFOREST_CONFIG": str(file)}).night.forms == ("8-K",)
    assert Settings.load(file, env={"FILINGFOREST_NIGHT_FORMS": "10-K, 10-Q"}).night.forms == ("10-K", "10-Q")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[edgar]\nuser_agnet = 'x'", "edgar.user_agent"),
        ("[edgr]\nrate = 1", "edgar.rate"),
        ("[edgar]\nrate = 11", "at most 10"),
        ("[edgar]\nrate = 'fast'", "must be a number"),
        ("[embed]\nbatch_size = 1.5", "whole number"),
        ("[embed]\nbatch_size = true", "whole number"),
        ("[embed]\nmethod = 'magic'", "embed.method"),
        ("[trees]\nenabled = 'perhaps'", "true or false"),
        ("[trees]\nthreshold = 0.9", "trees.threshold"),
        ("[chunk]\noverlap_tokens = 2000", "overlap_tokens"),
        ("[edgar", "not valid TOML"),
    ],
)
def test_wrong_files_say_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "x.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as e:
        Settings.load(file, env={})
    assert says in str(e.value)


def test_wrong_environment_and_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"edgar\.user_agent"):
        Settings.load(env={"FILINGFOREST_EDGAR_USERAGENT": "x"})
    with pytest.raises(ConfigError, match="--config"):
        Settings.load(tmp_path / "no.toml", env={})


def test_a_misspelt_section_in_the_environment_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"openserch\.url.* in the environment -> did you mean 'opensearch\.url'"):
        Settings.load(env={"FILINGFOREST_OPENSERCH_URL": "https://search:9200"})


def test_what_is_no_setting_is_left_alone() -> None:
    others = {"FILINGFOREST_S3_ENDPOINT": "x", "FILINGFOREST_VLLM_VENV": "x", "FILINGFOREST_IMAGE_TAG": "x", "FILINGFOREST_CACHE_GB": "1"}
    links = {  # what Kubernetes gives every pod beside Services called filingforest-serve and filingforest-query
        "FILINGFOREST_SERVE_SERVICE_HOST": "10.0.0.1", "FILINGFOREST_SERVE_SERVICE_PORT": "8000", "FILINGFOREST_SERVE_PORT": "tcp://10.0.0.1:80",
        "FILINGFOREST_SERVE_PORT_8000_TCP_ADDR": "10.0.0.1", "FILINGFOREST_QUERY_SERVICE_PORT_HTTP": "80",
    }  # fmt: skip
    assert Settings.load(SHIPPED, env=others | links) == Settings.load(SHIPPED, env={})
    assert Settings.load(SHIPPED, env={"FILINGFOREST_SERVE_PORT": "8001"}).serve.port == 8001


def test_settings_travel_as_plain_values() -> None:
    some = Settings.load(SHIPPED, {"night.forms": "8-K", "edgar.base_url": "http://127.0.0.1:9"}, env={})
    assert Settings.from_dict(some.to_dict()) == some
    assert some.edgar.data_base == "http://127.0.0.1:9"
    assert Settings().edgar.data_base == "https://data.sec.gov"
