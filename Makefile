# The one front door: `make run` to try Latchkey, `make test` to test it, `make lint test` is what CI runs.
#
# Needs Debian 12 and a Swift 6.3 toolchain on the PATH; everything else is installed from Debian's packages (with sudo where
# needed) and, for the tests with real third-party clients, from PyPI into .venv.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# What it takes to build, what the tour in docs/tour.md uses beside it, and what the tests add.
BUILD_PACKAGES := binutils libmicrohttpd-dev libssl-dev libsqlite3-dev libpq-dev libcurl4-openssl-dev libidn2-dev libunistring-dev pkg-config
TOUR_PACKAGES := curl jq sqlite3
WEB_PACKAGES := esbuild terser nodejs node-typescript
TEST_PACKAGES := $(TOUR_PACKAGES) $(WEB_PACKAGES) node-react node-react-dom python3-venv openssl postgresql haproxy pgbouncer postfix sasl2-bin libsasl2-modules spamassassin chromium chromium-driver webkit2gtk-driver xvfb tzdata fonts-noto-core fonts-noto-cjk zsh groff-base prometheus node-jose
PACKAGE_PACKAGES := debhelper dpkg-dev elfutils lintian
CHROOT_PACKAGES := debootstrap iproute2 systemd systemd-container util-linux
IMAGE_PACKAGES := buildah $(CHROOT_PACKAGES)
CLUSTER_PACKAGES := $(TOUR_PACKAGES) python3 postgresql haproxy
BENCH_PACKAGES := nginx-light wrk postfix elfutils postgresql haproxy pgbouncer python3 valgrind

DEPTH ?= default
export DEPTH

RELEASE := -c release -Xswiftc -static-stdlib
SERVER := .build/release/latchkey

.PHONY: help
help: ## Show what there is
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: build-packages resources ## Build the release binary, .build/release/latchkey, with its symbols beside it
	swift build $(RELEASE) --product latchkey
	Scripts/split-symbols $(SERVER)

.PHONY: package
package: build package-packages ## Make the Debian package and the one with its symbols, in .build/package
	Scripts/package deb

.PHONY: tarball
tarball: build ## Make an archive with the release binary, in .build/package
	Scripts/package tarball

.PHONY: image
image: package image-packages ## Make an OCI image from the Debian package, in .build/package; needs root
	Scripts/package image

.PHONY: run
run: build tour-packages ## Build, and serve in development mode on http://127.0.0.1:9099
	@echo
	exec $(SERVER) serve

.PHONY: cluster
cluster: build cluster-packages ## Build, and serve from three nodes on PostgreSQL behind a proxy, on the same address
	Scripts/cluster

.PHONY: test
test: test-swift test-interop ## Install what tests need, build, run the tests: on SQLite what may run on both engines

.PHONY: test-all
test-all: test test-swift-postgresql test-pooler test-interop-postgresql ## Run the tests on both engines

.PHONY: lint
lint: style compiled ## Check the format; a compiler warning is an error in every build

.PHONY: check
check: build-packages test-packages resources ## Check the style, and run one target's tests: make check T=AccountsTests [SUITE=MergeTests] [ENGINES=postgresql]
	@[ -d "Tests/$(T)" ] && [ -n "$(T)" ] || { echo "Name a target: make check T=AccountsTests" >&2; exit 2; }
	$(MAKE) --no-print-directory style
	LATCHKEY_CHECK=$(T) swift build --build-tests --scratch-path .build/check
	LATCHKEY_CHECK=$(T) ENGINES="$(or $(ENGINES),sqlite)" TARGETS=$(T) SUITE=$(SUITE) Scripts/test-swift --scratch-path .build/check

.PHONY: style
style:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests
	Scripts/embed-resources --check
	Scripts/check-imports
	Scripts/check-pitfalls

# Two of these beside each other would disturb the tests that measure times.
.NOTPARALLEL:

# Each runs once, however many of the targets above are made at a time.
.PHONY: compiled test-swift test-swift-postgresql test-pooler test-interop test-interop-postgresql
compiled: build-packages resources
	swift build --build-tests
	swift build --product latchkey

test-swift: compiled test-packages
	ENGINES=sqlite Scripts/test-swift

test-swift-postgresql: compiled test-packages
	ENGINES=postgresql Scripts/test-swift

test-pooler: compiled test-packages
	POOLER=pgbouncer Scripts/test-swift

INTEROP := LATCHKEY_BINARY=$(CURDIR)/.build/debug/latchkey .venv/bin/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder Tests/Interop

test-interop: compiled test-packages venv
	$(INTEROP)

test-interop-postgresql: compiled test-packages venv
	LATCHKEY_TEST_ENGINE=postgresql $(INTEROP)

# Beside the fast tests, because these need release builds, a Debian of their own, or the network of apt.
.PHONY: test-package
test-package: package tarball chroot-packages venv ## Install, upgrade, remove and purge the Debian package in a bare Debian; needs root
	Scripts/debian-root --download-only .build/package/root.tar .build/package/latchkey_*.deb
	.venv/bin/python -m pytest -q Tests/Package

.PHONY: test-image
test-image: image venv ## Run the OCI image where this machine allows it; needs root
	LATCHKEY_IMAGE=1 .venv/bin/python -m pytest -q Tests/Package/test_image.py

.PHONY: test-upgrade
test-upgrade: compiled test-packages venv ## Run the released version and this one beside each other on PostgreSQL
	LATCHKEY_RELEASED=$$(Scripts/build-released) LATCHKEY_BINARY=$(CURDIR)/.build/debug/latchkey .venv/bin/python -m pytest -q Tests/Upgrade

.PHONY: format
format: ## Format the sources
	swift format --in-place --recursive --parallel Package.swift Sources Tests

.PHONY: resources
resources: ## Renew the list of embedded files
	@Scripts/embed-resources

.PHONY: schema
schema: ## Renew the schema of a new SQLite file from the migrations
	LATCHKEY_WRITE_SCHEMA=$(CURDIR)/Sources/AccountDatabase/Schema/sqlite.sql $(MAKE) --no-print-directory check T=AccountDatabaseTests SUITE=EmbeddedMigrationTests
	@Scripts/embed-resources

.PHONY: web-client
web-client: web-packages ## Build latchkey.js from Sources/WebClient
	Scripts/build-web-client
	@Scripts/embed-resources

.PHONY: shots
shots: compiled test-packages venv ## Take a picture of every page and e-mail: shots/<language>/…
	LATCHKEY_BINARY=$(CURDIR)/.build/debug/latchkey .venv/bin/python Scripts/shots shots

# A benchmark prints numbers and fails nothing. Numbers of a busy machine say little.
.PHONY: bench bench-all bench-postgresql bench-growth bench-overload bench-soak bench-plots
bench: build bench-packages ## Print the ratios that Latchkey is judged by, in under 15 minutes
	Benchmarks/ratios

bench-all: build bench-packages ## Measure everything else, too: all calls and connections, on both engines
	Benchmarks/ratios
	Benchmarks/cores
	$(MAKE) --no-print-directory bench-postgresql
	Benchmarks/run
	Benchmarks/overload
	Benchmarks/overload --postgresql --calls signUp

bench-postgresql: build bench-packages ## Compare calls on PostgreSQL with pgbench: empty, with a million users, on two nodes, with broken calls
	Benchmarks/floors
	Benchmarks/floors --users 1000000
	Benchmarks/floors --nodes 2
	Benchmarks/floors --only signUp,redeem --broken 100
	Benchmarks/bloat

bench-growth: build bench-packages ## Compare calls with 1 000 to 10 million users; needs 10 GB of disk
	Benchmarks/growth --json Benchmarks/results/growth.json

bench-overload: build bench-packages ## Measure 10 000 clients at once
	Benchmarks/overload --json Benchmarks/results/overload.json

# With DEPTH=full an hour, otherwise ten minutes; or as long as SOAK says.
SOAK ?= $(if $(filter full,$(DEPTH)),3600,600)

bench-soak: build bench-packages ## Send an app's mix of calls for SOAK seconds, and watch memory
	Benchmarks/soak --seconds $(SOAK) --json Benchmarks/results/soak.json

bench-plots: ## Draw the plots of docs/performance.md from Benchmarks/results
	Benchmarks/plots

.PHONY: tsan
tsan: build-packages resources ## Run the Swift tests under the thread sanitizer
	swift build --build-tests --sanitize=thread --scratch-path .build/tsan
	timeout 780 Scripts/test-swift --sanitize=thread --scratch-path .build/tsan

.PHONY: asan
asan: build-packages resources ## Run the Swift tests under the address sanitizer
	swift build --build-tests --sanitize=address --scratch-path .build/asan
	timeout 780 Scripts/test-swift --sanitize=address --scratch-path .build/asan

.PHONY: fuzz
fuzz: build-packages resources ## Fuzz every parser for FUZZ_SECONDS (60) each
	Tests/Fuzz/run.sh $(or $(FUZZ_SECONDS),60)

.PHONY: clean
clean: ## Remove what was built, and nothing that was stored
	rm -rf .build .venv bench-results fuzz-findings shots

.PHONY: build-packages tour-packages cluster-packages test-packages bench-packages web-packages
.PHONY: package-packages chroot-packages image-packages
build-packages: ; @Scripts/install-packages $(BUILD_PACKAGES)
tour-packages: ; @Scripts/install-packages $(TOUR_PACKAGES)
cluster-packages: ; @Scripts/install-packages $(CLUSTER_PACKAGES)
test-packages: ; @Scripts/install-packages $(TEST_PACKAGES)
bench-packages: ; @Scripts/install-packages $(BENCH_PACKAGES)
web-packages: ; @Scripts/install-packages $(WEB_PACKAGES)
package-packages: ; @Scripts/install-packages $(PACKAGE_PACKAGES)
chroot-packages: ; @Scripts/install-packages $(CHROOT_PACKAGES)
image-packages: ; @Scripts/install-packages $(IMAGE_PACKAGES)

.PHONY: venv
venv: .venv/.installed
.venv/.installed: Tests/Interop/requirements.txt Tests/Interop/requirements-without-dependencies.txt | test-packages
	@Scripts/make-venv
