"""The Python code of the documents runs and prints what they say.

Code of a section sees what the code before the first section has made, but nothing of other
sections. A block of text right after a block of code is what the code prints.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def sections(name):
    """The sections of a document that have code: heading, and blocks of line, code and output."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = {"": []}
    for block in BLOCK.finditer(text):
        headings = re.findall(r"^##+ (.*)$", text[: block.start()], re.MULTILINE)
        line = text.count("\n", 0, block.start(1))
        found.setdefault(headings[-1] if headings else "", []).append((line, *block.groups()))
    return found


def documented():
    for name in ("README.md", "docs/python.md"):
        found = sections(name)
        first = found.pop("")
        for heading, blocks in found.items():
            yield pytest.param(name, first + blocks, id=f"{name}-{heading}")


@pytest.mark.parametrize(("name", "blocks"), list(documented()))
def test_code_of_documents(name, blocks, tmp_path, monkeypatch, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    (tmp_path / "testdata").symlink_to(ROOT / "testdata")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    try:
        for line, code, output in blocks:
            # Empty lines before the code make the numbers of lines those of the document.
            try:
                exec(compile("\n" * line + code, str(ROOT / name), "exec"), names)
            except ImportError as error:
                # Some code needs packages that are optional.
                if (error.name or "").startswith("treewright"):
                    raise
                pytest.skip(str(error))
            printed = capsys.readouterr().out
            if output is not None:
                assert without_ends(printed) == without_ends(output), f"{name}, line {line}"
    finally:
        pyplot.close("all")


def without_ends(text):
    """The text without blanks at the ends of lines, and without empty lines at its end."""
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip()
