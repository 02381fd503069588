# The front door: make run shows what resilgen does, make test proves it. Everything else serves those two.

GO ?= go
SHELL := /bin/sh

# Modules of their own, so that what they need stays out of the go.mod of users. Those with packages of ours are tested
# and linted with the root.
MODULES := . tools $(TESTED) bench/gen
TESTED  := bench generator/analyzer/golangci

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## generate the quickstart's wrapper and watch it protect a failing HTTP client
	$(GO) generate ./examples/quickstart/...
	$(GO) run ./examples/quickstart

.PHONY: test
test: compiler redis ## run every test, with the race detector
	$(GO) build ./...
	$(GO) test -race ./...
	@for module in $(TESTED); do echo "cd $$module && go test -race ./..."; (cd $$module && $(GO) test -race ./...) || exit 1; done

# The newest Go, whose packages the generator has to read when it is built with it.
NEXT_GO ?= go1.27.3

.PHONY: test-next
test-next: ## run the generator's tests under the newest Go, where that can be fetched
	@if GOTOOLCHAIN=$(NEXT_GO) $(GO) version >/dev/null 2>&1; then \
		echo "GOTOOLCHAIN=$(NEXT_GO) go test ./generator/... ./cmd/..."; \
		GOTOOLCHAIN=$(NEXT_GO) $(GO) test ./generator/... ./cmd/...; \
	else echo "$(NEXT_GO) cannot be fetched here; passed over"; fi

.PHONY: lint
lint: ## gofmt, go vet and staticcheck
	@unformatted=$$(git ls-files -co --exclude-standard '*.go' | grep -v /testdata/ | xargs gofmt -l); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-clean:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...
	@for module in $(TESTED); do \
		echo "cd $$module && go vet ./... && staticcheck ./..."; \
		(cd $$module && $(GO) vet ./... && $(GO) tool -modfile=$(CURDIR)/tools/go.mod staticcheck ./...) || exit 1; \
	done

.PHONY: generate
generate: ## run go generate everywhere
	$(GO) generate ./...
	@for module in $(TESTED); do (cd $$module && $(GO) generate ./...) || exit 1; done

.PHONY: tidy
tidy: ## tidy every module
	@for module in $(MODULES); do (cd $$module && $(GO) mod tidy) || exit 1; done

.PHONY: check-clean
check-clean: generate tidy ## fail if go generate or go mod tidy changes a committed file
	@if [ -n "$$(git status --porcelain)" ]; then \
		echo "go generate or go mod tidy changes these files; run make generate tidy and commit:"; \
		git status --porcelain; git --no-pager diff; exit 1; \
	fi

.PHONY: bench
bench: ## measure ours and other libraries beside each other, and write docs/benchmarks.md
	cd bench && $(GO) run . -markdown ../docs/benchmarks.md

.PHONY: bench-gen
bench-gen: ## time the generator beside mockery, moq and mockgen, and write docs/benchmarks-generator.md
	cd bench/gen && $(GO) run . -o ../../docs/benchmarks-generator.md

.PHONY: bench-redis
bench-redis: redis ## measure the Redis limiter beside Redisson's algorithm and other libraries, and write docs/benchmarks-redis.md
	cd bench && $(GO) run ./redis -markdown ../docs/benchmarks-redis.md

.PHONY: corpus
corpus: ## wrap large public interfaces, and compile and vet what comes out (downloads their modules)
	cd testdata/corpus && $(GO) test -timeout 60m ./...

# The race detector links with a C compiler. Where there is none, the package manager is asked for one.
.PHONY: compiler
compiler:
	@cc=$$($(GO) env CC); command -v $${cc%% *} >/dev/null 2>&1 || { \
		echo "the race detector needs a C compiler; installing gcc"; \
		as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
		if command -v apt-get >/dev/null; then $$as_root apt-get update -qq && $$as_root apt-get install -y -qq gcc libc6-dev; \
		elif command -v dnf >/dev/null; then $$as_root dnf install -y -q gcc glibc-devel; \
		elif command -v apk >/dev/null; then $$as_root apk add -q gcc musl-dev; \
		elif command -v pacman >/dev/null; then $$as_root pacman -Sy --noconfirm gcc; \
		elif command -v zypper >/dev/null; then $$as_root zypper -n install gcc; \
		elif command -v brew >/dev/null; then brew install gcc; \
		else echo "no known package manager: install a C compiler and run make test again" >&2; exit 1; fi; \
	}

# The tests of the distributed limiter start servers of their own. Where there is none, the package manager is asked for one;
# a service that comes with it is not used.
.PHONY: redis
redis:
	@command -v redis-server >/dev/null 2>&1 || command -v valkey-server >/dev/null 2>&1 || { \
		echo "the tests of the distributed limiter need redis-server; installing it"; \
		as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
		if command -v apt-get >/dev/null; then $$as_root apt-get update -qq && $$as_root apt-get install -y -qq redis-server; \
		elif command -v dnf >/dev/null; then $$as_root dnf install -y -q redis || $$as_root dnf install -y -q valkey; \
		elif command -v apk >/dev/null; then $$as_root apk add -q redis || $$as_root apk add -q valkey; \
		elif command -v pacman >/dev/null; then $$as_root pacman -Sy --noconfirm redis || $$as_root pacman -S --noconfirm valkey; \
		elif command -v zypper >/dev/null; then $$as_root zypper -n install redis || $$as_root zypper -n install valkey; \
		elif command -v brew >/dev/null; then brew install redis; \
		else echo "no known package manager: install redis-server and run make test again" >&2; exit 1; fi; \
	}
