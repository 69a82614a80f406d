# `make serve` and `make test` install what they need on a Debian or Ubuntu with Swift; `make` lists all targets.

# The libraries with their headers, as packages of Debian and Ubuntu.
SYSTEM_PACKAGES := libsqlite3-dev libssl-dev zlib1g-dev
# The programs that the tests run.
TEST_PACKAGES := curl openssl postgresql
# The pooler of the tests behind one; PostgreSQL 18 comes from PyPI.
POSTGRESQL_PACKAGES := postgresql pgbouncer python3-venv
# The browser for the explorer's tests; its driver comes from PyPI.
BROWSER_PACKAGES := chromium python3-venv
EXPLORER_TOOLS := .build/explorer-tools
# Those who use clients: Deno, HTTPie, pandas, the client of the Model Context Protocol, validators of OpenAPI.
CLIENT_TOOLS := .build/client-tools
# For the script that packs the corpora of the fuzzers.
FUZZ_PACKAGES := python3
PREFIX ?= /usr/local
# Finds the libraries that a program needs, and packs.
DIST_PACKAGES := dpkg-dev
# Where `make deployment-test` tries them: a bare Debian, and the proxies of the documentation.
DEPLOYMENT_PACKAGES := mmdebstrap nginx-light caddy curl
# For `make fuzz`: the time of each target, and the targets, such as TARGETS='HTTP URL'; for `make secrecy` and `make linearizability`:
# the time of each database.
SECONDS ?= 60
TARGETS ?=
# For `make exports-test`.
DATABASES ?=
# For `make serve`, such as ARGUMENTS='chinook.db --port 9000'.
ARGUMENTS ?=

KINDRED := .build/release/kindred
# What `make install` has the program print, below `share`.
MANUAL := man/man1/kindred.1
BASH := bash-completion/completions/kindred
ZSH := zsh/site-functions/_kindred
FISH := fish/vendor_completions.d/kindred.fish
GENERATED := $(MANUAL) $(BASH) $(ZSH) $(FISH)
SOURCES := Sources Tests Package.swift
DOCUMENTATION := .build/documentation
# The generator of the documents' site.
SITE_PACKAGES := python3-venv
SITE_TOOLS := .build/site-tools
DIST := .build/dist
# The commit that the version names, with a + where the files differ from it.
COMMIT ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)$(shell git diff --quiet HEAD -- Sources Package.swift 2>/dev/null || printf +)
# The program names no directory of the building machine, so that the same sources give the same bytes anywhere.
REPRODUCIBLE := -Xswiftc -file-prefix-map -Xswiftc '$(CURDIR)=.' -Xcc -ffile-prefix-map='$(CURDIR)=.'
# Linux only: links Swift's libraries statically, so that the program runs without Swift.
STATIC := $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)

.DEFAULT_GOAL := help
.PHONY: help serve test explorer-tools explorer-test explorer-pictures clients-test postgresql-test scale-test contents-test linearizability exports-test behaviours secrecy oracle fuzz build release docs site language reference install dist deployment-test uninstall format lint image system-packages swift

help: ## List the targets.
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1	\2/p' $(MAKEFILE_LIST) | expand -t 22

serve: release ## Serve the sample library, or the database in ARGUMENTS.
	exec $(KINDRED) serve $(ARGUMENTS)

test: system-packages swift ## Run the tests.
	$(call install-missing,$(TEST_PACKAGES))
	swift test

explorer-tools:
	$(call install-missing,$(BROWSER_PACKAGES))
	test -x $(EXPLORER_TOOLS)/bin/pip || python3 -m venv $(EXPLORER_TOOLS)
	$(EXPLORER_TOOLS)/bin/pip install --quiet --requirement Tests/Explorer/requirements.txt

explorer-test: release explorer-tools ## Test the explorer, its scripts and its pages in a browser.
	$(EXPLORER_TOOLS)/bin/deno fmt --check
	$(EXPLORER_TOOLS)/bin/deno lint
	$(EXPLORER_TOOLS)/bin/deno check Sources/CKindredExplorer/assets/*.js Tests/Explorer/*.js
	$(EXPLORER_TOOLS)/bin/deno test
	$(EXPLORER_TOOLS)/bin/python Tests/Explorer/browse.py $(KINDRED)

explorer-pictures: release explorer-tools ## Make the pictures of the explorer's documentation.
	$(EXPLORER_TOOLS)/bin/python Tests/Explorer/pictures.py $(KINDRED)

clients-test: release ## Test the printed clients, the assistants' protocol and the documented adapters.
	test -x $(CLIENT_TOOLS)/bin/pip || python3 -m venv $(CLIENT_TOOLS)
	$(CLIENT_TOOLS)/bin/pip install --quiet --requirement Tests/Clients/requirements.txt
	$(CLIENT_TOOLS)/bin/python Tests/Clients/run.py $(KINDRED)

postgresql-test: system-packages swift ## Test PostgreSQL 18, and PostgreSQL behind pgbouncer.
	$(call install-missing,$(POSTGRESQL_PACKAGES))
	Tests/PostgreSQL/run 18
	Tests/PostgreSQL/run pgbouncer

scale-test: release ## Test standbys of PostgreSQL: positions, lag, restarts, failover.
	$(call install-missing,$(POSTGRESQL_PACKAGES))
	python3 Tests/Scale/run.py $(KINDRED)
	python3 Tests/Scale/failover.py $(KINDRED)

contents-test: release ## Check the memory and the processor time that contents of requests take.
	python3 Tests/Endurance/contents.py

linearizability: release ## Check that no answer is older than it may be, for SECONDS on each database.
	$(call install-missing,$(POSTGRESQL_PACKAGES))
	python3 Tests/Scale/linearizability.py $(KINDRED) $(SECONDS)

exports-test: release ## Import what is exported of each table of DATABASES into empty copies; by default, of the sample library.
	python3 Tests/Endurance/exports.py $(DATABASES)

behaviours: ## List the numbered behaviours of the Swift API that no test covers.
	Tests/untested-behaviours

secrecy: system-packages swift ## Compare databases that differ only in what a client may not see, for SECONDS.
	$(call install-missing,$(TEST_PACKAGES))
	KINDRED_TEST_SECONDS=$(SECONDS) swift test --filter OutOfSightTests

oracle: system-packages swift ## Compare random requests with an in-memory evaluator and with GRDB.
	swift test --package-path Tests/Oracle

fuzz: system-packages swift ## Fuzz the parsers and the service, SECONDS for each of TARGETS.
	$(call install-missing,$(FUZZ_PACKAGES))
	Tests/Fuzz/run $(SECONDS) $(TARGETS)

build: system-packages swift ## Build for debugging.
	swift build

release: system-packages swift ## Build the program: .build/release/kindred.
	KINDRED_COMMIT='$(COMMIT)' swift build --configuration release --product kindred $(STATIC) $(REPRODUCIBLE)

docs: system-packages swift ## Build the guides and the references of the Swift API: .build/documentation.
	@# The symbols of all modules are dumped together, so the tests must have been built.
	swift build --build-tests
	swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members
	rm -rf $(DOCUMENTATION)
	$(call build-catalogue,Kindred)
	$(call build-catalogue,KindredRemote)

site: ## Build the documents as a site, strictly: .build/site.
	$(call install-missing,$(SITE_PACKAGES))
	test -x $(SITE_TOOLS)/bin/pip || python3 -m venv $(SITE_TOOLS)
	$(SITE_TOOLS)/bin/pip install --quiet --requirement Tests/Documents/requirements.txt
	$(SITE_TOOLS)/bin/mkdocs build --strict --quiet

language: ## Check the form of the documents, and measure their language.
	python3 Tests/Documents/form.py
	python3 Tests/Documents/language.py

reference: build ## Write the pages of the documents that the program prints.
	for page in commands settings metrics errors; do .build/debug/kindred manual $$page > docs/$$page.md || exit 1; done
	rm -rf .build/reference && mkdir .build/reference
	.build/debug/kindred migrate .build/reference/library.db --migrations Migrations
	.build/debug/kindred query .build/reference/library.db /-/diagram.svg > docs/library.svg

# Builds the catalogue of a module, together with its reference.
define build-catalogue
mkdir -p $(DOCUMENTATION)/symbols/$(1)
cp .build/*/symbolgraph/$(1).symbols.json $(DOCUMENTATION)/symbols/$(1)
for file in .build/*/symbolgraph/$(1)@*.symbols.json; do \
  if [ -e "$$file" ]; then cp "$$file" $(DOCUMENTATION)/symbols/$(1); fi; \
done
docc convert Sources/$(1)/$(1).docc --warnings-as-errors \
  --additional-symbol-graph-dir $(DOCUMENTATION)/symbols/$(1) \
  --output-dir $(DOCUMENTATION)/$(1).doccarchive \
  --fallback-display-name $(1) --fallback-bundle-identifier $(shell echo $(1) | tr A-Z a-z)
endef

# Builds nothing, so that it may be run by root, who may have no Swift and should own nothing in the checkout.
install: ## Install the program that `make release` has built, stripped, the sample library's migrations, the manual page and the completions under DESTDIR and PREFIX.
	@test -x '$(KINDRED)' || { echo "make: $(KINDRED) is missing; run make release first" >&2; exit 1; }
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/kindred/Migrations'
	install -s '$(KINDRED)' '$(DESTDIR)$(PREFIX)/bin/kindred'
	install -m 644 Migrations/*.sql '$(DESTDIR)$(PREFIX)/share/kindred/Migrations'
	install -d $(foreach file,$(GENERATED),'$(DESTDIR)$(PREFIX)/share/$(dir $(file))')
	'$(KINDRED)' manual > '$(DESTDIR)$(PREFIX)/share/$(MANUAL)'
	'$(KINDRED)' completions bash > '$(DESTDIR)$(PREFIX)/share/$(BASH)'
	'$(KINDRED)' completions zsh > '$(DESTDIR)$(PREFIX)/share/$(ZSH)'
	'$(KINDRED)' completions fish > '$(DESTDIR)$(PREFIX)/share/$(FISH)'

dist: release ## Make a tarball and a Debian package of the program: .build/dist.
	$(call install-missing,$(DIST_PACKAGES))
	Config/debian/package '$(KINDRED)' '$(DIST)'

deployment-test: dist ## Try the package in a bare Debian, and the server behind nginx and Caddy.
	$(call install-missing,$(DEPLOYMENT_PACKAGES))
	Tests/Deployment/run '$(KINDRED)' '$(DIST)'

uninstall: ## Remove what `make install` has installed under DESTDIR and PREFIX.
	rm -f '$(DESTDIR)$(PREFIX)/bin/kindred' $(foreach file,$(GENERATED),'$(DESTDIR)$(PREFIX)/share/$(file)')
	rm -rf '$(DESTDIR)$(PREFIX)/share/kindred'

format: swift ## Format the sources.
	swift format --in-place --recursive $(SOURCES)

lint: swift ## Check the format of the sources.
	swift format lint --strict --recursive $(SOURCES)

image: ## Build the container image.
	docker build --build-arg COMMIT='$(COMMIT)' --tag kindred .

system-packages: ## Install missing system packages.
	$(call install-missing,$(SYSTEM_PACKAGES))

# Installs those of the given packages that are missing.
define install-missing
@missing=; \
for package in $(1); do \
  state=$$(dpkg-query --show --showformat='$${db:Status-Status}' $$package 2>/dev/null); \
  [ "$$state" = installed ] || missing="$$missing $$package"; \
done; \
if [ -z "$$missing" ]; then exit 0; fi; \
if ! command -v apt-get >/dev/null; then \
  echo "make: if something is not found, install what Debian calls$$missing" >&2; exit 0; \
fi; \
if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
set -x; \
$$sudo apt-get update -qq && \
$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends $$missing
endef

swift:
	@command -v swift >/dev/null || { \
	  echo "make: Swift is missing; install 6.2 or later from https://www.swift.org/install" >&2; exit 1; }
