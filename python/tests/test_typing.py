"""The stub says what the compiled module has, and types fit."""

import subprocess
import sys
from pathlib import Path

import treewright

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
