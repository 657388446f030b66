"""The rules of deny.toml on licences, sources and versions, where cargo-deny is not installed.

    python tests/python/licences.py

Reads `cargo metadata` and deny.toml. A package needs a licence, or one of its choices, that is allowed; it comes from
an allowed registry or from this repository; and no package of ours accepts any version (`*`) of another.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main():
    try:
        import tomllib
    except ImportError:
        print("skipped: licences (they need cargo-deny, or Python 3.11 or later)")
        return 0
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    packages = json.loads(subprocess.check_output(command, cwd=ROOT))["packages"]
    faults = [fault for package in packages for fault in faults_of(package, rules)]
    for fault in faults:
        print(f"licences: {fault}")
    print(f"licences: {len(packages)} packages, {len(faults)} faults")
    return 1 if faults else 0


def faults_of(package, rules):
    name = f"{package['name']} {package['version']}"
    source = package["source"]
    registries = {f"registry+{place}" for place in rules["sources"]["allow-registry"]}
    if source is not None and source not in registries:
        yield f"{name} comes from {source}"
    for wanted in package["dependencies"] if source is None else ():
        if wanted["req"] == "*" and "path" not in wanted:
            yield f"{name} accepts any version of {wanted['name']}"
    licence = package["license"]
    if licence is None or not is_allowed(licence, set(rules["licenses"]["allow"])):
        yield f"{name} has the licence {licence}, which deny.toml does not allow"


def is_allowed(licence, allowed):
    """Is an SPDX expression allowed? `/` is an old way to write OR, which binds less than AND."""
    words = re.findall(r"[()]|[^\s()]+", licence.replace("/", " OR "))
    value, rest = either(words, allowed)
    if rest:
        raise ValueError(f"not a licence expression: {licence}")
    return value


def either(words, allowed):
    value, words = both(words, allowed)
    while words[:1] == ["OR"]:
        other, words = both(words[1:], allowed)
        value = value or other
    return value, words


def both(words, allowed):
    value, words = single(words, allowed)
    while words[:1] == ["AND"]:
        other, words = single(words[1:], allowed)
        value = value and other
    return value, words


def single(words, allowed):
    if words[:1] == ["("]:
        value, words = either(words[1:], allowed)
        return value, words[1:]
    n_words = 3 if words[1:2] == ["WITH"] else 1
    return " ".join(words[:n_words]) in allowed, words[n_words:]


if __name__ == "__main__":
    sys.exit(main())
