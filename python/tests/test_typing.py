"""The stub says what the compiled module has, and types fit."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import treewright
from treewright import Family, OptimalTreeClassifier, Tree, _plot

PACKAGE = Path(treewright.__file__).parent


def test_the_stub_fits_the_module():
    run = [
        sys.executable,
        "-m",
        "mypy.stubtest",
        "treewright._native",
        "--concise",
        "--ignore-disjoint-bases",
    ]
    found = subprocess.run(run, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_types_fit():
    run = [sys.executable, "-m", "mypy", "--no-error-summary", "-p", "treewright"]
    options = [
        "--ignore-missing-imports",
        "--check-untyped-defs",
        "--disable-error-code=attr-defined",
    ]
    found = subprocess.run([*run, *options], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


DRAWINGS = [
    (Tree.plot, _plot.tree),
    (OptimalTreeClassifier.plot, _plot.tree),
    (Tree.plot_partition, _plot.partition),
    (OptimalTreeClassifier.plot_partition, _plot.partition),
    (Family.plot, _plot.family),
]


@pytest.mark.parametrize(("method", "function"), DRAWINGS, ids=lambda it: it.__qualname__)
def test_drawings_name_their_options(method, function):
    """Methods have the options of the functions that they call, with types and defaults."""
    _, *options = inspect.signature(method).parameters.values()
    _, *expected = inspect.signature(function).parameters.values()
    assert options == expected
    assert all(option.annotation is not option.empty for option in options)
    assert all(option.kind is not option.VAR_KEYWORD for option in options)


def test_every_public_method_is_typed():
    for name in treewright.__all__:
        public = getattr(treewright, name)
        functions = [public] if inspect.isfunction(public) else []
        if inspect.isclass(public):
            mine = [kind for kind in public.__mro__ if kind.__module__.startswith("treewright")]
            members = [member for kind in mine for member in vars(kind).items()]
            functions = [it for key, it in members if inspect.isfunction(it) and key[0] != "_"]
        for function in functions:
            signature = inspect.signature(function)
            assert signature.return_annotation is not signature.empty, function
            for parameter in list(signature.parameters.values()):
                is_self = parameter.name == "self"
                assert is_self or parameter.annotation is not parameter.empty, function
