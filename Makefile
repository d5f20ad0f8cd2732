# The few commands that a person types. CMake does the work; see CMakePresets.json. Where there is no make yet, type
# ./make instead: it installs one first.
#   make            build build/release/fumehood
#   make demo       install what is missing, build, judge the example candidates
#   make check      for each change: unit tests, replay of the fuzz seeds, lint; a minute or two
#   make test       everything, also with sanitizers; twenty minutes
#   make test-v2    run the program in a virtual machine that has cgroup v2 only
#   make test-systems   run it on stock Debian 12 and 13 in virtual machines, drill and all: hours; or SUITE=bookworm, trixie,
#                   jammy (Ubuntu 22.04), noble (24.04)
#   make bench-build  build what the benchmarks need, measure nothing
#   make bench      the same, and then measure everything: ten minutes or so
#   make install    PREFIX=/usr/local DESTDIR=
.POSIX:
.SUFFIXES:
.NOTPARALLEL:

PREFIX = /usr/local
DESTDIR =
FUZZ_SECONDS = 30
CONFIGURE =
SUITE = bookworm trixie

all: build

build:
	@scripts/setup.sh build
	@[ -x build/release/fumehood ] || echo "building build/release/fumehood"
	@scripts/build.sh release build/release all -DFUMEHOOD_TESTS=OFF $(CONFIGURE)

# The library knows its program by the path that it was built for.
install:
	@scripts/setup.sh build
	@scripts/as-owner.sh scripts/build.sh release build/release all -DFUMEHOOD_TESTS=OFF "-DCMAKE_INSTALL_PREFIX=$(PREFIX)"
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)" 2>&1 >/dev/null || { \
	    echo "make install: nothing was installed below $(DESTDIR)$(PREFIX) (without the right to write there:" \
	        "sudo make install, or make install PREFIX=$$HOME/.local)" >&2; exit 1; }
	@rm -f build/release/install_manifest.txt
	@echo "$(DESTDIR)$(PREFIX)/bin/fumehood"

demo:
	@scripts/setup.sh build demo
	@$(MAKE) -s build
	@scripts/demo.sh build/release/fumehood

check:
	@scripts/setup.sh build test
	@tests/run_all.sh check

test:
	@scripts/setup.sh build test
	@scripts/setup.sh vm systems || echo "make test: goes on, and skips what needs virtual machines"
	@tests/run_all.sh

test-v2:
	@scripts/setup.sh build vm
	@$(MAKE) -s build
	@tests/vm/cgroup-v2.sh build/release/fumehood

# All of them, whatever the first one says
test-systems:
	@scripts/setup.sh build systems
	@$(MAKE) -s build
	@status=0; for suite in $(SUITE); do \
	    echo "== $$suite"; tests/systems/machine.sh build/release/fumehood $$suite || status=$$?; \
	done; exit $$status

asan:
	@scripts/setup.sh build test
	@scripts/build.sh asan build/asan all

fuzz:
	@scripts/setup.sh build test fuzz
	@scripts/fuzz.sh $(FUZZ_SECONDS)

bench-build:
	@scripts/setup.sh build demo
	@$(MAKE) -s build
	@scripts/build.sh release build/release bench_warm

bench: bench-build
	@bench/run build/release/fumehood

clean:
	rm -rf build

.PHONY: all build install demo check test test-v2 test-systems asan fuzz bench-build bench clean
