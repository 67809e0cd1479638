# Gondola. `make help` lists what there is; the logic is in scripts/.
.DEFAULT_GOAL := help
SHELL := /bin/sh

VERSION := 0.1.0
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
STAMP := -X main.version=$(VERSION) -X main.commit=$(COMMIT)
SHARED ?= $(abspath ../shared)
ifneq ($(wildcard $(SHARED)/cases/losses/values.json),)
export GONDOLA_CASES ?= $(SHARED)/cases/losses/values.json
endif
ifneq ($(wildcard $(SHARED)/data),)
export GONDOLA_DATA ?= $(SHARED)/data
endif
export PYTHONPATH :=
# a home that cannot be written: the caches of the tools go beside us
ifneq ($(shell test -w "$$HOME" || echo no),)
export GOCACHE ?= $(CURDIR)/.cache/go-build
export GOMODCACHE ?= $(CURDIR)/.cache/go-mod
export UV_CACHE_DIR ?= $(CURDIR)/.cache/uv
export PIP_CACHE_DIR ?= $(CURDIR)/.cache/pip
export npm_config_cache ?= $(CURDIR)/.cache/npm
endif

.PHONY: help lab test demo fast build install notebooks need venv node lint unit real proof mutants race nocgo \
	notoolchain gotests gotenth gen gen-check ptx ptx-check ptx-lines ptxas-check nvcc-check gpu-golden gpu-pack gpu-check gpu-test gpu-bench emu emu-asan conform browser soak fuzz fuzz-night peers bench golden clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

lab: ## set everything up and open JupyterLab on notebooks/
	@sh scripts/lab.sh

test: ## the whole test suite (STAGES="unit demo" runs some)
	@sh scripts/need.sh test
	@sh scripts/test.sh $(STAGES)

demo: build ## run the notebooks without browser or Python; pages and pictures in out/demo
	@sh scripts/demo.sh

fast: ## vet, the rules of the house and the short tests
	@sh scripts/need.sh build
	go vet ./...
	go test -short ./...

build: ## bin/gondola
	@sh scripts/need.sh build
	go build -ldflags "$(STAMP)" -o bin/gondola ./cmd/gondola

install: build ## the kernel, for this user, and the cache of native cells
	bin/gondola install --user
	-bin/gondola native warm

notebooks: build ## run the notebooks and save their outputs
	bin/gondola run --inplace notebooks/*.ipynb

need: ## what this machine lacks for make test
	@sh scripts/need.sh test

venv: ## .venv from the lock in tools/python
	@sh scripts/venv.sh

node: ## the browser tests' packages
	@sh scripts/node.sh

lint: ## formats, vet, shell scripts, rules of the house
	@sh scripts/lint.sh

unit: ## go test ./..., and the plain loops in place of the assembly
	go test -timeout 30m ./...
	go test -tags noasm ./internal/vec ./apmlgpu/internal/cpu

real: ## APML against the oracle on every pair of real clouds in GONDOLA_DATA (half an hour)
	go test ./apmlgpu/losstest -run TestRealPairs -long -v -timeout 3h

proof: ## exact transport of real pairs and of large random problems, before a judge of its own (twenty minutes)
	go test ./apmlgpu/losstest -run 'TestRealTransport|TestLargeProofs' -long -v -timeout 3h

mutants: ## faults put into the protocol and the losses, each of which the tests must catch (some minutes)
	go test ./kernel/kerneltest -run TestMutants -mutants -v -timeout 1h
	go test ./apmlgpu/losstest -run TestMutants -mutants -v -timeout 2h
	go test ./cuda -run TestMutants -mutants -v -timeout 1h

race: ## go test -race on what runs goroutines
	@sh scripts/race.sh

nocgo: ## builds and runs without a C compiler
	@sh scripts/nocgo.sh

notoolchain: build ## runs with a PATH that holds neither Go nor gcc
	@sh scripts/notoolchain.sh

gotests: build ## all of Go's own test programs through gondola; the table in out/gotests
	go run ./internal/gotests -report out/gotests/table.txt

gotenth: build ## every tenth of them
	@go run ./internal/gotests -every 10

gen: ## make the generated files anew
	go run ./internal/gen/packs
	@sh scripts/asm.sh internal/vec

gen-check: ## the generated files are what make gen makes
	go run ./internal/gen/packs --check
	@sh scripts/asm.sh --check

ptx: ## cuda/apml.ptx from the kernels, by the clang of cuda/PTX_TOOLCHAIN
	@sh cuda/tools/ptx.sh

ptx-check: ## the committed PTX is what make ptx makes
	@sh cuda/tools/ptx.sh --check

ptx-lines: ## build/apml-lines.ptx, with line tables for a profiler
	@sh cuda/tools/ptx.sh --lines

ptxas-check: ## NVIDIA's assembler over it: no spill, registers as recorded; fetches it where it can
	@sh cuda/tools/ptxas.sh

nvcc-check: ## nvcc compiles the kernels' source: another reading of it; fetches it where it can
	@sh cuda/tools/nvcc.sh

gpu-golden: ## the bits that a card must give, anew, by the emulator
	go test ./cuda -run TestGolden -golden

gpu-pack: ## build/gpu: what tests a machine that has nothing but an NVIDIA driver
	@sh cuda/tools/gpu/pack.sh

gpu-check: ## that folder's test over the stand-in driver, from a fresh copy of the committed tree
	@sh cuda/tools/gpu/check.sh

gpu-test: gpu-pack ## the GPU backend on this machine's device
	@OUT=$${OUT:-$(CURDIR)/build/gpu-out} sh build/gpu/test.sh

gpu-bench: gpu-pack ## times of whole calls on this machine's device
	@OUT=$${OUT:-$(CURDIR)/build/gpu-out} sh build/gpu/bench.sh

emu: ## the kernels on the CPU, by the emulator
	@sh cuda/tools/emu.sh

emu-asan: ## the same with the sanitizers
	@sh cuda/tools/emu.sh --asan

conform: build venv ## Jupyter's own conformance tests, nbclient and nbconvert over the notebooks
	@sh scripts/conform.sh

browser: build venv node ## JupyterLab in headless Chromium
	@sh scripts/browser.sh

soak: ## cells, interrupts, crashes and connects for DURATION (30m); the server may not grow
	go test ./cmd/gondola -run TestSoak -soak $${DURATION:-30m} -count=1 -timeout 0 -v

fuzz: ## each fuzz target on thousands of inputs of a fixed seed; FUZZTIME=60s: new ones for so long
	@sh scripts/fuzz.sh

fuzz-night: ## PROGRAMS (100000) random programs as cells against the compiler's
	GONDOLA_FUZZ=$${PROGRAMS:-100000} go test ./kernel/yaegi -run TestRandomPrograms -count=1 -timeout 0 -v

peers: ## .cache/peers: numpy, scipy, torch, POT, OTT-JAX and GeomLoss for the benchmark of losses
	@sh scripts/peers.sh

bench: build ## the benchmarks, as ratios in one run
	bin/gondola bench losses --peers
	bin/gondola bench kernel
	bin/gondola bench language

golden: ## draw the golden pictures anew; look at each before you sign it
	go test ./plots/... -run Golden -update

clean: ## remove what make made
	@[ ! -d .cache/go-mod ] || chmod -R u+w .cache/go-mod
	rm -rf bin out .cache .venv tools/browser/node_modules
