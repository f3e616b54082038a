"""beleg.toml: read strictly, documented completely, tenants apart."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from qa.problems import SettingsError
from qa.settings import ENVIRONMENT, SECRETS, SECTIONS, Settings, SettingsFile, load_settings
from qa.settings_file import commented_file, init_workspace, write_workspace

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


def _load(root: Path, text: str, environment: dict[str, str] | None = None) -> Settings:
    (root / "beleg.toml").write_text(text, encoding="utf-8")
    return load_settings(root, environment or {})


WRONG = [
    ("[workspace]\nlocal = 'de'", "workspace.local", "'locale'"),
    ("[workspace]\nlocale = 'fr'", "workspace.locale", "'de', 'en', 'pl' oder 'ch'"),
    ("[workspace]\nfiscal_year_start = '13-01'", "workspace.fiscal_year_start", "MM-TT"),
    ("[workspace]\nfiscal_year_start = 1", "workspace.fiscal_year_start", "Anführungszeichen"),
    ("[tenants.nord]\ndata_dri = 'x'", "tenants.nord.data_dri", "'data_dir'"),
    ("[tenants.nord]\nreview = 'immer'", "tenants.nord.review", "'log', 'new_shapes', 'mixed' oder 'all'"),
    ("[tenants.nord]\nreview_own = 'ja'", "tenants.nord.review_own", "true oder false"),
    ("[tenants.'../x']", "../x", "Name"),
    ("[limit]\nmax_file_mb = 1", "limit", "'limits'"),
    ("[limits]\nmax_file_mb = 0", "limits.max_file_mb", "mindestens 1"),
    ("[limits]\nmax_file_mb = '1'", "limits.max_file_mb", "ganze Zahl"),
    ("[limits]\nquery_seconds = 1.5", "limits.query_seconds", "ganze Zahl"),
    ("[llm]\napi_key = 'x'", "llm.api_key", "BELEG_LLM_API_KEY"),
    ("[llm]\nbase_url = 'http://localhost/v1'", "llm.model", "'model'"),
    ("[llm]\nmodel = 'm'", "llm.base_url", "'base_url'"),
    ("[llm]\nbase_url = 'localhost:80'\nmodel = 'm'", "llm.base_url", "http://localhost:8000/v1"),
    ("[llm]\nbase_url = 'http://a:geheim@localhost/v1'\nmodel = 'm'", "llm.base_url", "BELEG_LLM_API_KEY"),
    ("[llm]\ntemperature = 1", "llm.temperature", "bekannt sind"),
    ("[audit]\nurl = 'postgresql://beleg:geheim@host/x'", "audit.url", "BELEG_AUDIT_URL"),
    ("[workspace]\ncatalog_url = 'postgresql://host/x?password=geheim'", "workspace.catalog_url", "BELEG_CATALOG_URL"),
    ("[workspace\n", "TOML", "beleg.toml"),
    ("workspace = 1", "workspace", "[workspace]"),
]


@pytest.mark.parametrize(("text", "key", "remedy"), WRONG, ids=[text for text, _, _ in WRONG])
def test_a_wrong_file_is_refused_with_key_and_remedy(text: str, key: str, remedy: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        _load(tmp_path, text)
    message = str(caught.value)
    assert str(tmp_path / "beleg.toml") in message
    assert key in message
    assert remedy in message
    assert "geheim" not in message
    assert "\n" not in message


def test_a_missing_file_names_init(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="beleg init"):
        load_settings(tmp_path, {})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("orte/a", "orte/a"),
        ("orte/a", "orte/b/../a"),
        ("orte/a", "orte/A"),
        ("orte/a", "./orte//a/"),
        ("orte/a", "link"),
        ("orte/a", "link/unten"),
        ("orte/M\u00fcller", "orte/Mu\u0308ller"),
        ("orte/a", "data/tenants/../../orte/a"),
        ("data/tenants/zwei", None),
    ],
)
def test_two_tenants_never_share_a_place(one: str, other: str | None, tmp_path: Path) -> None:
    (tmp_path / "orte" / "a").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "orte" / "a")
    second = f"data_dir = {json.dumps(other)}" if other is not None else ""
    with pytest.raises(SettingsError) as caught:
        _load(tmp_path, f"[tenants.eins]\ndata_dir = {json.dumps(one)}\n[tenants.zwei]\n{second}\n")
    assert "eins" in str(caught.value)
    assert "zwei" in str(caught.value)


def test_tenants_that_differ_in_case_or_accents_only_share_a_place(tmp_path: Path) -> None:
    for one, other in (("nord", "Nord"), ("sued", "süd")):
        with pytest.raises(SettingsError):
            _load(tmp_path, f"[tenants.{json.dumps(one)}]\n[tenants.{json.dumps(other, ensure_ascii=False)}]\n")


def test_places_of_the_catalogue_count_too(tmp_path: Path) -> None:
    settings = _load(tmp_path, "[tenants.eins]\ndata_dir = 'data/tenants/zwei'\n")
    settings.check_places(["drei"])
    with pytest.raises(SettingsError, match="zwei"):
        settings.check_places(["zwei"])


def test_a_tenant_inherits_what_its_section_leaves_out(tmp_path: Path) -> None:
    text = "[workspace]\nlocale = 'pl'\nfiscal_year_start = '10-01'\n[tenants.ost]\nlocale = 'de'\n"
    settings = _load(tmp_path, text)
    ost, west = settings.tenant("ost"), settings.tenant("west")
    assert (ost.locale, ost.fiscal_year_start) == ("de", "10-01")
    assert (west.locale, west.fiscal_year_start) == ("pl", "10-01")
    assert west.data_dir == tmp_path.resolve() / "data" / "tenants" / "west"


def test_the_environment_takes_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "beleg.toml").write_text("[audit]\nurl = 'sqlite:////file'\n", encoding="utf-8")
    assert load_settings(tmp_path, {}).audit_url == "sqlite:////file"
    given = load_settings(tmp_path, {"BELEG_AUDIT_URL": "postgresql://a:b@host/x"})
    assert given.audit_url == "postgresql://a:b@host/x"


def test_a_model_is_set_in_file_or_environment_and_switched_off_for_a_tenant(tmp_path: Path) -> None:
    settings = _load(tmp_path, "[llm]\nmodel = 'm'\nretries = 0\n[tenants.nord]\nllm = false\n", {
        "BELEG_LLM_BASE_URL": "http://localhost:9/v1", "BELEG_LLM_API_KEY": "geheim",
    })  # fmt: skip
    model = settings.tenant("süd").llm
    assert model is not None
    assert (model.base_url, model.model, model.retries, model.api_key) == ("http://localhost:9/v1", "m", 0, "geheim")
    assert settings.tenant("nord").llm is None
    assert _load(tmp_path, "").llm is None


def test_init_writes_a_file_that_says_nothing_yet(tmp_path: Path) -> None:
    path = init_workspace(tmp_path / "neu")
    assert load_settings(path.parent, {}).limits == SettingsFile().limits
    assert (path.parent / "data").is_dir()
    with pytest.raises(SettingsError, match="gibt es schon"):
        init_workspace(path.parent)


def test_init_shows_every_key_and_each_is_valid_when_taken(tmp_path: Path) -> None:
    text = commented_file()
    keys = {key for model in SECTIONS.values() for key in model.model_fields}
    assert keys == set(re.findall(r"^# (\w+) = ", text, re.MULTILINE))
    taken = re.sub(r"^# (\[|\w+ = )", r"\1", text, flags=re.MULTILINE)
    assert SettingsFile.model_validate(tomllib.loads(taken)).tenants.keys() == {"nord"}


def test_a_run_brings_its_own_settings(tmp_path: Path) -> None:
    write_workspace(tmp_path, {"fiscal_year_start": "10-01"}, {"nord": {"review": "log"}, "süd-ost": {}} | {"x.y": {}})
    settings = load_settings(tmp_path, {})
    assert settings.tenant("nord").fiscal_year_start == "10-01"
    assert set(settings.sections) == {"nord", "süd-ost", "x.y"}


def _documented() -> dict[tuple[str, str], str]:
    """(key, environment variable) -> default, as the page says; – is empty."""
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (.+?) \| .+ \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    cleaned = [
        tuple("" if cell == "–" else cell.strip("`") for cell in row) for row in rows if row[0] != "key" and row[0] != "---"
    ]
    return {(key, variable): default for key, variable, default in cleaned}


def test_every_setting_is_documented_and_no_other() -> None:
    variable_of = {key: variable for variable, key in ENVIRONMENT.items()}
    declared = {
        (f"{section}.{key}", variable_of.get(f"{section}.{key}", "")): (
            "" if field.default is None else json.dumps(field.default, ensure_ascii=False)
        )
        for section, model in SECTIONS.items()
        for key, field in model.model_fields.items()
    }
    declared |= {("", variable): "" for variable in (*SECRETS, "BELEG_WORKSPACE")}
    assert _documented() == declared


def test_every_section_of_the_file_is_in_the_table_of_sections() -> None:
    assert {name.partition(".")[0] for name in SECTIONS} == set(SettingsFile.model_fields)
