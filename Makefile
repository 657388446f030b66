# `make help` lists what there is.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test slow audit bench golden fuzz soak sanitize lint advisories fmt tools rust-lint python-lint rust-test

# rustup puts cargo here; a shell started before that does not know it yet.
export PATH := $(PATH):$(HOME)/.cargo/bin

# Where cargo builds: asked, since CARGO_TARGET_DIR and cargo's own settings may move it.
TARGET = $(shell cargo metadata --no-deps --format-version 1 --locked \
	| sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
TITANIC := testdata/tables/titanic.csv

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 14

# A dev build takes less time to compile, and a small table needs no more.
demo: tools ## builds the program, explores a bundled table and shows a tree
	cargo build --locked -p treewright-cli
	@mkdir -p demo
	@treewright() { echo; echo "\$$ treewright $$*"; "$(TARGET)/debug/treewright" "$$@"; }; \
	treewright explore $(TITANIC) -o demo/titanic.html; \
	treewright fit optimal $(TITANIC) --depth 2 -o demo/titanic.json; \
	treewright show demo/titanic.json; \
	echo; echo "Open demo/titanic.html in a browser: every tree of the first table, and what it decides."

test: lint rust-test ## every check, in a few minutes
	@tests/python/run "$(TARGET)/debug/treewright"
	@python/tests/run "$(TARGET)/debug/treewright"

slow: tools ## the widest runs: release builds, all tables of TREEWRIGHT_DATA, the golden record, 20,000 audited tables
	cargo test --release --locked --workspace --exclude treewright-py
	cargo build --release --locked -p treewright-cli -p treewright-audit
	@tests/python/run "$(TARGET)/release/treewright" --all
	@python3 tests/python/golden.py "$(TARGET)/release/treewright"
	"$(TARGET)/release/treewright-audit" --tables 20000 --seed "$$(date +%Y%m%d)" --falsify-every 20 \
		--failures "$(TARGET)/audit"

AUDIT_TABLES ?= 100000
AUDIT_SEED ?= 1

audit: tools ## random tables for every learner, judged by the checker; written to benches/record/
	cargo build --release --locked -p treewright-audit
	@record="benches/record/$$(date +%F)-audit.md"; \
	"$(TARGET)/release/treewright-audit" --tables $(AUDIT_TABLES) --seed $(AUDIT_SEED) --falsify-every 20 \
		--failures "$(TARGET)/audit" --record "$$record"; \
	echo "the record is in $$record"

bench: tools ## comparisons with peers, written to benches/record/
	@reason=$$(tests/python/venv benches/requirements.txt) || { echo "bench: $$reason"; exit 1; }
	.venv/bin/python benches/fit_greedy.py | tee "benches/record/$$(date +%F)-fit-greedy.md"
	.venv/bin/python benches/fit_optimal.py | tee "benches/record/$$(date +%F)-fit-optimal.md"
	.venv/bin/python benches/predict.py | tee "benches/record/$$(date +%F)-predict.md"
	.venv/bin/python benches/read_csv.py | tee "benches/record/$$(date +%F)-read-csv.md"
	.venv/bin/python benches/prune.py | tee "benches/record/$$(date +%F)-prune.md"

golden: tools ## compares what the program writes with testdata/golden.json; all tables of TREEWRIGHT_DATA
	cargo build --release --locked -p treewright-cli
	@python3 tests/python/golden.py "$(TARGET)/release/treewright"

fuzz: tools ## a million mutated files for every reader; takes an hour
	cargo build --release --locked -p treewright-fuzz --example hammer
	@for target in testdata/fuzz/*; do "$(TARGET)/release/examples/hammer" "$${target##*/}" 1000000 \
		"$$(date +%Y%m%d)" testdata/fuzz "$(TARGET)/findings"; done

soak: tools ## an hour of random work; fails if memory grows
	cargo build --release --locked -p treewright-cli
	cargo build --release --locked -p treewright-fuzz --example soak
	@python=python3; if [ -x .venv/bin/python ]; then python=.venv/bin/python; fi; \
	"$$python" tests/python/soak.py "$(TARGET)/release" --minutes 60

sanitize: tools ## the one unsafe block under valgrind
	@tests/python/sanitize

lint: rust-lint python-lint ## format, lints, documentation, licences

advisories: ## known faults of dependencies; needs cargo-deny and a network
	cargo deny check advisories

fmt: ## formats all sources
	cargo fmt --all
	@if reason=$$(tests/python/venv tests/python/lint/requirements.txt); then .venv/bin/ruff format -q .; \
		else echo "skipped: ruff ($$reason)"; fi

tools:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust (https://rustup.rs)"; exit 1; }
	@command -v cc >/dev/null || { echo "a C compiler and linker (cc) is missing: on Debian" \
		"apt-get install gcc libc6-dev, on macOS xcode-select --install"; exit 1; }

# A check whose tool is missing is skipped with a line. Under CI=true that is a failure.
skipped = { echo "skipped: $(1)"; [ "$${CI:-}" != true ] || { echo "CI=true: nothing may be skipped"; exit 1; }; }

rust-lint: tools
	@if cargo fmt --version >/dev/null 2>&1; then echo "cargo fmt --all --check"; \
		cargo fmt --all --check; else $(call skipped,cargo fmt is not installed); fi
	@if cargo clippy --version >/dev/null 2>&1; then echo "cargo clippy"; \
		cargo clippy --locked --workspace --all-targets -- -D warnings; \
		else $(call skipped,cargo clippy is not installed); fi
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --workspace
	@if cargo deny --version >/dev/null 2>&1; then echo "cargo deny"; \
		cargo deny check bans licenses sources; \
		else python3 tests/python/licences.py; fi

python-lint:
	@if reason=$$(tests/python/venv tests/python/lint/requirements.txt); then echo "ruff"; \
		.venv/bin/ruff check -q .; .venv/bin/ruff format -q --check .; \
		else $(call skipped,ruff ($$reason)); fi

# One command builds all of it, the program and the examples, too: another choice of packages would have other features
# of dependencies, and the library would be compiled once more.
rust-test: tools
	cargo test --locked --workspace --exclude treewright-py
	@for example in greedy prune dyadic optimal features; do echo "examples/$$example"; \
		"$(TARGET)/debug/examples/$$example" >/dev/null; done
