# make                    build the commands into bin/
# make test               the tests that need neither network nor the reference, but for slow ones of what is rare
# make test-hostile       the same as another user, in another zone and locale, on a host of another name and release, with PCP set to nonsense
# make demo               a derived metric over a small recorded archive
# make install            install below PREFIX (/usr/local): commands, manual pages, completions; make uninstall removes them
# make package            deb, rpm, tar.gz and zip files for Linux, macOS and Windows, with checksums, in dist/; KEY=... signs them (docs/install.md)
# make peer               compare with the reference (PCP 7.2 from Debian and its daemon, in a private root below .peer/)
# make engines            SQL in Apache Spark, with ANSI and without, and on a cluster; pyspark comes from PyPI, Java must be there
# make measure            what engines read, and what exports and queries cost; PARTS="reads thousand tools cost" or some of them
# make platforms          the tests on 386, s390x (by qemu-user) and Windows (by Wine), where these can be installed; QUICK=1 a part of them
# make bench, bench-peer  our own benchmarks, with growth; our commands against the reference's
# make growth             how the costs of what users do grow with sizes
# make lint, race, fuzz   checks of the code; the tests under the race detector; every fuzz target for FUZZTIME (60s)
# make soak               the slow tests that make test leaves out, and 10,000 seeds (SEEDS=) of the simulations: networks, clocks and disks that fail
# make sessions           renew what README.md, docs/ and man/ show of the commands: sessions, examples
# make rename             another module path: make rename MODULE=example.org/x/pmtools
# make help               this list

GO       ?= go
PREFIX   ?= /usr/local
PEER     ?= $(CURDIR)/.peer/root
FUZZTIME ?= 60s
CROSS    ?= linux/arm64 darwin/arm64 windows/amd64 linux/386 linux/s390x
# Modules of their own, for what needs more than the main module shall need.
NESTED   := lib/prom test/package
# Where a release will stand.
URL      ?= https://example.org/pmtools
COMMANDS := $(notdir $(wildcard cmd/pm*))
export CGO_ENABLED = 0
# Packages are compiled once for the commands, the tests and what tests build, in whatever directory the clone is. The commands do not say which
# commit they are of: git refuses to tell in a clone that belongs to another user.
export GOFLAGS += -trimpath -buildvcs=false

.PHONY: all build help test test-hostile race lint vuln fuzz soak bench growth bench-peer peer engines measure platforms record cross sessions rename install uninstall package clean demo

all: build

help:
	@sed -n 's/^# \(make\)/\1/p; /^$$/q' Makefile

# The linker writes through a mapping, page by page. A copy, as an installed file, lies in larger pieces of the page cache, and starts a fifth faster.
build:
	@test -d bin || echo "make: compiling the commands and what they are made of; the first time this takes a minute or more"
	$(GO) build -ldflags=-s -o bin/ ./cmd/pm...
	@for c in bin/pm*; do cp $$c $$c.copy && mv $$c.copy $$c || exit 1; done

# Tests of more than a second of processor time, of what is rare: simulations, kills, losses of power, files of gigabytes.
SLOW := Test(CompactKilled|ExportKilled|ExportPower|Hole|HostileProxy|OSSFuzz|OddInstances|ProgramNamesBounded|RandomTurns|Rename|Simulation|Tools|Work)
# Tests wait as long as they work: twice as many packages at a time as processors.
test:
	$(GO) test -count=1 -p $$((2 * $$(getconf _NPROCESSORS_ONLN || echo 1))) -skip='^$(SLOW)$$' $(TESTFLAGS) ./...
	for d in $(NESTED); do $(GO) test -C $$d -count=1 $(TESTFLAGS) ./... || exit 1; done

# As root on Linux, in namespaces; see test/hostile.
test-hostile:
	test/hostile $(MAKE) --no-print-directory test TESTFLAGS='$(TESTFLAGS)'

# The detector also checks unsafe pointers, and ends the process where parquet-go, over damaged tables, panics otherwise (lib/export recovers that).
race: RACE ?= ./...
race:
	CGO_ENABLED=1 $(GO) test -race -gcflags='github.com/parquet-go/...=-d=checkptr=0' -skip='$(SKIP)' $(TESTFLAGS) $(RACE)
	for d in $(NESTED); do CGO_ENABLED=1 $(GO) test -C $$d -race $(TESTFLAGS) ./... || exit 1; done

lint:
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) mod tidy -diff
	staticcheck=$$($(GO) tool -n staticcheck) && for d in $(NESTED); do (cd $$d && $(GO) vet ./... && $$staticcheck ./... && $(GO) mod tidy -diff) || exit 1; done
	@$(MAKE) -s vuln

# Known vulnerabilities of what the commands are built of (status 3), where the database can be reached.
vuln:
	@dir=$$(mktemp -d); trap 'rm -rf $$dir' EXIT; GOBIN=$$dir GOFLAGS= $(GO) install golang.org/x/vuln/cmd/govulncheck@latest >$$dir/log 2>&1 && \
	  $$dir/govulncheck ./... >$$dir/log 2>&1; status=$$?; if test $$status = 0 || test $$status = 3; then cat $$dir/log; exit $$status; fi; \
	  echo "make vuln: nothing was checked: govulncheck or its database cannot be reached: $$(tail -1 $$dir/log)"

# Each fuzz target for FUZZTIME; all run, and any finding is a failure. A target that ends with the words "context deadline exceeded" and no finding
# has only met its end while a worker was busy (a fault of go test).
fuzz:
	@log=$$(mktemp); trap 'rm -f $$log' EXIT; $(GO) list ./... | while read p; do for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	  echo "$$p $$f"; $(GO) test -run='^$$' -fuzz="^$$f$$" -fuzztime=$(FUZZTIME) $$p >$$log 2>&1; status=$$?; grep '^fuzz: elapsed' $$log | tail -1; \
	  test $$status = 0 || { grep -q '^ *context deadline exceeded' $$log && ! grep -q 'Failing input' $$log; } || { cat $$log; echo "$$p $$f" >>$$log.failed; }; \
	done; done; test ! -e $$log.failed || { echo "findings:"; cat $$log.failed; rm $$log.failed; exit 1; }

# A failure of a simulation prints the line that repeats it.
soak:
	PMTOOLS_RUNS=$(or $(SEEDS),10000) $(GO) test -run='^$(SLOW)$$' -count=1 -v -timeout=60m \
	  $$(grep -rlE 'func $(SLOW)\(' --include='*_test.go' cmd derive internal lib test | xargs -n 1 dirname | sort -u | sed 's|^|./|')
	PMTOOLS_RUNS=all $(GO) test ./test -run='^TestSecrets$$' -count=1 -v

bench: growth
	$(GO) test -run='^$$' -bench=. -benchmem ./lib/... ./derive/... ./internal/...
	$(GO) test -run='^$$' -bench='Output|Cores' ./cmd/pmderive

# A table of costs against sizes; fails if one grows faster than it should (docs/performance.md).
growth:
	@log=$$(mktemp); PMTOOLS_GROWTH=1 $(GO) test ./cmd/internal/growth -count=1 -v -timeout=5m >$$log 2>&1; s=$$?; \
	sed -n 's/^ *growth_test.go:[0-9]*: //p; /^panic/,$$p' $$log; rm -f $$log; exit $$s

# Our commands against the reference's in turn: ratios of medians.
bench-peer: build
	test/peer/peer-up $(PEER)
	@test/peer/peer-up --pmcd $(PEER) || echo "no daemon here, live sources are not timed"
	PMTOOLS_PEER=$(PEER) PMTOOLS_BIN=$(CURDIR)/bin $(GO) test ./test/peer/cli -run='^TestSpeed' -count=1 -v
	@test/peer/peer-up --stop $(PEER)

# The packages of OFFLINE do not depend on the second at which they ask: two run at once. The
# other ones share a daemon, and compare values of the moment: one after the other.
# Each row of known.txt that explains a difference is noted in FIRED; those that explain none any more fail TestKnownFires. TestLSP takes the
# reference's definitions, TestShells its root's zsh and fish, TestHostileProxy its commands.
# Without the reference peer-up ends with status 3 and says why; nothing is compared then.
OFFLINE := archive derive install push
peer: export PMTOOLS_PEER = $(PEER)
peer: export PMTOOLS_BIN = $(CURDIR)/bin
peer: export PMTOOLS_FIRED = $(PEER).fired
peer: build
	@test/peer/peer-up $(PEER); s=$$?; \
	if [ $$s = 3 ]; then echo "make peer: no reference here, nothing was compared"; exit 0; fi; \
	test $$s = 0 && { rm -f $$PMTOOLS_FIRED; test/peer/peer-up --pmcd $(PEER) || echo "make peer: no daemon here, live sources are not compared"; } && \
	$(GO) test $(OFFLINE:%=./test/peer/%) -p 2 -skip='^TestSpeedSummarize$$' -count=1 -v -timeout=15m && \
	$(GO) test $$($(GO) list ./test/peer/... ./lib/builtin/sample | grep -vE '/($(subst $() $(),|,$(OFFLINE)))$$') -p 1 \
	  -skip='^Test(Speed|SpeedLive|SpeedShapes|SpeedSummarize|KnownFires)$$' -count=1 -v -timeout=15m && \
	$(GO) test ./cmd/pmderive -run='^TestLSP$$' -count=1 -v && \
	$(GO) test ./test -run='^Test(Shells|HostileProxy)$$' -count=1 -v && \
	$(GO) test ./test/peer/harness -run='^TestKnownFires$$' -count=1 -v; \
	s=$$?; test/peer/peer-up --stop $(PEER); exit $$s

# Emulators are installed in the reference's root.
platforms:
	@test/peer/peer-up $(PEER); s=$$?; if [ $$s = 3 ]; then echo "make platforms: no root to install emulators in, nothing was run"; exit 0; fi; \
	test $$s = 0 && test/peer/platforms $(PEER)

# SQL in Apache Spark. peer-up ends with status 3 where there is no reference.
engines: build
	@test/peer/peer-up $(PEER); s=$$?; if [ $$s = 3 ]; then echo "make engines: no reference here, nothing was compared"; exit 0; fi; \
	test $$s = 0 && PMTOOLS_PEER=$(PEER) PMTOOLS_BIN=$(CURDIR)/bin test/peer/engines $(PEER)

# What engines read and what exports and queries cost: minutes, and 15 GB in the reference's root, whose DuckDB and tools are asked.
measure: build
	@test/peer/peer-up $(PEER); s=$$?; if [ $$s = 3 ]; then echo "make measure: no reference here, nothing was measured"; exit 0; fi; \
	test $$s = 0 && test/peer/measure $(PEER) $(or $(PARTS),reads thousand tools cost)

# Renew the transcripts of the reference that the tests compare with.
record: build
	test/peer/peer-up $(PEER)
	PMTOOLS_RECORD=1 PMTOOLS_PEER=$(PEER) PMTOOLS_BIN=$(CURDIR)/bin $(GO) test ./test/peer/... -p 1 -run='^TestRecord' -count=1 -v

cross:
	for t in $(CROSS); do \
	  echo $$t; GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build ./... || exit 1; done

# Each of these tests fails where what is shown is not what the commands print.
sessions:
	$(GO) test ./cmd/internal/manual -update
	$(GO) test ./cmd/pmderive -run='^Test(Docs|ManualSections)$$' -update

rename:
	@test -n "$(MODULE)" || { echo "usage: make rename MODULE=example.org/x/pmtools" >&2; exit 2; }
	@old=$$($(GO) list -m) && v=v$$(sed -n 's/^const Version = "\(.*\)"/\1/p' lib/version/version.go) && \
	grep -rl --include='*.go' --include='*.md' "[\"[]$$old/" cmd derive internal lib test docs README.md | xargs sed -i.bak "s|\([\"[]\)$$old/|\1$(MODULE)/|g" && \
	find cmd derive internal lib test docs README.md* -name '*.bak' -delete && \
	$(GO) mod edit -module=$(MODULE) && for d in $(NESTED); do \
	  $(GO) mod edit -C $$d -module=$(MODULE)/$$d -droprequire=$$old -dropreplace=$$old -require=$(MODULE)@$$v -replace=$(MODULE)=../.. || exit 1; done && \
	gofmt -w cmd derive internal lib test

BASH := share/bash-completion/completions
ZSH  := share/zsh/site-functions
DOC  := share/doc/pmtools
GUIDES := $(wildcard docs/*.md)
FISH := share/fish/vendor_completions.d
INSTALLED = $(COMMANDS:%=bin/%) $(COMMANDS:%=share/man/man1/%.1) share/man/man5/pmderived.5 share/man/man7/pmtools.7 $(GUIDES:docs/%=$(DOC)/%) $(COMMANDS:%=$(BASH)/%) $(COMMANDS:%=$(ZSH)/_%) \
  $(COMMANDS:%=$(FISH)/%.fish)

install: to = $(DESTDIR)$(PREFIX)
install: build
	install -d $(sort $(dir $(INSTALLED:%=$(to)/%)))
	install $(COMMANDS:%=bin/%) $(to)/bin
	install -m 644 $(COMMANDS:%=man/%.1) $(to)/share/man/man1
	install -m 644 man/pmderived.5 $(to)/share/man/man5
	install -m 644 man/pmtools.7 $(to)/share/man/man7
	install -m 644 $(GUIDES) $(to)/$(DOC)
	for c in pminfo\ -- pmval\ -- pmstore\ -- 'pmderive '; do n=$${c%% *}; \
	  bin/$${c}completion bash >$(to)/$(BASH)/$$n && bin/$${c}completion zsh >$(to)/$(ZSH)/_$$n && bin/$${c}completion fish >$(to)/$(FISH)/$$n.fish || exit 1; done
	cd cmd/pmerr/completion && install -m 644 pmerr $(to)/$(BASH) && install -m 644 _pmerr $(to)/$(ZSH) && install -m 644 pmerr.fish $(to)/$(FISH)

uninstall:
	rm -f $(INSTALLED:%=$(DESTDIR)$(PREFIX)/%)

# The same commit gives the same bytes.
package:
	$(GO) run -C test/package . $(if $(KEY),-key '$(KEY)')

clean:
	rm -rf bin dist

demo: build
	@$(GO) run ./test/mkarchive bin/demo demo
	@sh test/demo.sh bin
