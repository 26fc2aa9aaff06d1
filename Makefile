# Every command of the project. `make help` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GOLANGCI := go tool -modfile=tools/go.mod golangci-lint
TYPESCRIPT = client/src examples/react/src web/src web/tests web/*.ts
# Modules of their own, as an app that builds on this one is.
EXAMPLES := $(patsubst %/go.mod,%,$(wildcard examples/*/go.mod))
# A number of inputs, not a time: at the end of a time, Go before 1.27 may report its own deadline as a failure (golang/go 75804).
FUZZTIME ?= 40000x

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: setup ## Follow, post, edit, unfollow, delete: watch it work on the emulator
	@go run ./cmd/relationindex demo

# Emulators of tests live for a minute or two: the time that Java takes to optimize would not pay. A demo leaves what Java
# has loaded, so that each of them starts in half the time; Java ignores what another Java, or another emulator, has left: remove it then.
EMULATOR_CLASSES := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/relationindex/emulator.jsa
JAVA_OF_TESTS := -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:disable -Xlog:all=error:stderr
test test-long test-mutants cover: export JAVA_TOOL_OPTIONS ?= $(JAVA_OF_TESTS) -XX:SharedArchiveFile=$(EMULATOR_CLASSES)
$(EMULATOR_CLASSES): | setup
	@mkdir -p '$(@D)'
	-@JAVA_TOOL_OPTIONS='$(JAVA_OF_TESTS) -XX:ArchiveClassesAtExit=$@.new' go run ./cmd/relationindex demo >/dev/null && mv -f '$@.new' '$@'

.PHONY: test
test: setup setup-web $(EMULATOR_CLASSES) ## Pass the tests of what changes most: on the real emulators with real triggers and a real browser, under 11 minutes on 2 cores
	scripts/go-test quick
	@cd web && npm run --silent typecheck && npm run --silent test

.PHONY: test-long
test-long: setup setup-web $(EMULATOR_CLASSES) fuzz ## Pass the others, those tagged long: every case, a failure at every call, deliveries, chaos, rehearsal, gcloud, the rest of the browser's, fuzzing
	scripts/go-test long
	for module in $(EXAMPLES); do (cd $$module && go vet ./... && go test -vet=off -count=1 -parallel 8 -timeout 30m ./...); done
	@cd web && npm run test:long

.PHONY: test-mutants
test-mutants: setup setup-web $(EMULATOR_CLASSES) ## Break each condition of the rules in turn, and see that a test notices: run it after changes to the rules or their tests
	@cd web && npm run test:mutants

.PHONY: rehearse
rehearse: setup setup-web ## Build the functions as Google does, start a process for each, and tell them two end-to-end stories and two uses
	go test -tags long -vet=off -count=1 -parallel 8 -timeout 30m -v ./test/rehearsal

.PHONY: web
web: setup-node ## Build the web pages into web/dist, which the binary embeds
	@cd web && npm run --silent build

.PHONY: client
client: setup-node ## Build the package client/, and pack it for npm install: client/relationindex-client-<version>.tgz
	scripts/pack-client

.PHONY: screenshots
screenshots: setup web ## Make the pictures of docs/tour.md. SHOTS=FOLDER also gets each in light and dark, narrow and wide
	@cd web && npm run --silent screenshots

.PHONY: fuzz
fuzz: ## Fuzz what comes from outside, FUZZTIME=40000x inputs each
	go test ./functions -run '^$$' -fuzz '^FuzzDecodeEvent$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./emulator -run '^$$' -fuzz '^FuzzRepair$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./internal/indexfile -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./cmd/relationindex/internal/files/rows -run '^$$' -fuzz '^FuzzImportLine$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./internal/console -run '^$$' -fuzz '^FuzzPrintable$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x
	go test ./feed -run '^$$' -fuzz '^FuzzCursor$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 1x

.PHONY: format
format: setup-web ## Lay out the TypeScript as make lint wants it
	web/node_modules/.bin/biome format --write $(TYPESCRIPT)

.PHONY: lint
lint: setup-web setup-lint ## Check style, imports, module files, scripts, and that web/dist is built from web/src
	go mod tidy -diff && go mod verify
	cd tools && go mod tidy -diff && go mod verify
	cd monitoring && go mod tidy -diff && go mod verify
	for module in $(EXAMPLES); do (cd $$module && go mod tidy -diff && GOFLAGS=-mod=mod go tool -modfile=$(CURDIR)/tools/go.mod golangci-lint run --config $(CURDIR)/.golangci.yml); done
	$(GOLANGCI) run
	cd monitoring && GOFLAGS=-mod=mod go tool -modfile=../tools/go.mod golangci-lint run --config ../.golangci.yml && go test -count=1 ./...
	@# What the functions link and nothing reaches: the list only shrinks.
	@found=$$(go tool -modfile=tools/go.mod deadcode -filter '^example\.com/relationindex' -f '{{range .Funcs}}{{println $$.Path .Name}}{{end}}' ./bench/scale/internal/deployed); \
	  diff test/house/deadcode.txt <(sed -e '/^$$/d' -e 's|^example.com/relationindex/||' <<<"$$found" | LC_ALL=C sort) || \
	  { echo 'test/house/deadcode.txt (<) is not what no function reaches (>): remove what is new, or the line of what is gone'; exit 1; }
	shellcheck $$(git grep --untracked -lIE '^#!(/usr/bin/env |/bin/)(ba)?sh' -- ':!*.md')
	@! git grep -nE '\bnpx |@[l]atest' -- Makefile scripts .ci '*/package.json' || { echo 'a tool without a version: pin it in tools/go.mod or web/package.json'; exit 1; }
	@for lock in web/package-lock.json web/node/package-lock.json; do \
	  ! grep -nE '"resolved"|"link": true' $$lock || { echo "$$lock: a package that is not from the registry"; exit 1; }; \
	  [ "$$(grep -cE '^    "node_modules/' $$lock)" = "$$(grep -cE '^      "integrity": "sha512-' $$lock)" ] || { echo "$$lock: a package without a sha512"; exit 1; }; \
	done
	web/node_modules/.bin/biome ci --error-on-warnings $(TYPESCRIPT)
	@cd web && npm run --silent check-dist

.PHONY: vulncheck
vulncheck: ## Look for known vulnerabilities of Go modules and npm packages: needs vuln.go.dev and the npm registry
	go tool -modfile=tools/go.mod govulncheck ./...
	@cd web && npm audit

.PHONY: fmt
fmt: ## Format the code
	$(GOLANGCI) fmt

.PHONY: bench
bench: setup ## Measure: a burst of follows, a hop, a page of Feed beside the query and a bare handler, and what one operation costs
	go test ./bench -run '^$$' -bench 'Burst|Hop|Feed' -benchtime 1x -timeout 30m
	go test ./bench -run '^$$' -bench One -benchtime 20x -timeout 30m

.PHONY: bench-session
bench-session: setup setup-web ## Measure in Chromium what a reader of popular authors costs in 20 minutes, and single moments by each preset
	@cd web && npm run --silent bench

.PHONY: bench-scale
bench-scale: setup ## Measure 20,000,000 followers, timelines, verify and a popular author: an hour, 16 GiB
	@mkdir -p bench/results
	go test ./bench/scale -run '^$$' -bench . -benchtime 1x -timeout 90m > bench/results/scale.new || { cat bench/results/scale.new; exit 1; }
	@mv bench/results/scale.new bench/results/scale.txt
	@if git cat-file -e HEAD:bench/results/scale.txt 2>/dev/null; then \
	  go tool -modfile=tools/go.mod benchstat last=<(git show HEAD:bench/results/scale.txt) this=bench/results/scale.txt; \
	else cat bench/results/scale.txt; fi

.PHONY: bench-weather
bench-weather: setup ## Measure the time from a write to a reader's feed, in production's weather, on quiet days and bad ones, an hour and a half: ARGS='-fewer -storm 500'
	go test ./bench/weather -run '^$$' -bench . -benchtime 1x -timeout 360m $(ARGS)

.PHONY: realdata
realdata: setup ## Compare every feed of a real social graph with the join of its files: DATA=folder ARGS='-follows 50000'
	@go run ./bench/realdata -data '$(DATA)' $(ARGS)

.PHONY: import-direct
import-direct: setup ## Import a real social graph in bulk, killed half-way and run again: DATA=folder
	@go run ./bench/realdata -direct -data '$(DATA)'

.PHONY: chaos
chaos: setup ## Run random workloads while everything goes wrong that may, and compare: ARGS='-seed 7 -timeline ring'
	@go run ./bench/chaos $(ARGS)

.PHONY: live
live: ## Ask a live project, one without users, what no emulator can answer: PROJECT=p ARGS='-id-token …'
	@go run ./bench/live -project '$(PROJECT)' $(ARGS)

.PHONY: cover
cover: setup $(EMULATOR_CLASSES) ## Test coverage of every package
	go test -tags long -vet=off -count=1 -parallel 8 -p 1 -timeout 60m -coverpkg ./accounts/...,./social/...,./audit/...,./chunker/...,./cmd/...,./emulator/...,./feed/...,./followers/...,./functions/...,./internal/...,./local/...,./posts/...,./prices/...,./ranking/...,./readers/...,./relations/...,./schema/...,./sending/...,./tallies/...,./timelines/... -coverprofile cover.out ./...
	go tool cover -func cover.out | tail -n 1

.PHONY: setup setup-node setup-web setup-lint
setup:
	@scripts/setup
setup-node:
	@scripts/setup-node
setup-web:
	@scripts/setup-web
setup-lint:
	@scripts/setup-lint
