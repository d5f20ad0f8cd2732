# The few commands that a person types. CMake does the work; see CMakePresets.json.
#   make            build build/release/fumehood
#   make demo       install what is missing, build, judge the example candidates
#   make test       install what is missing, build, run every test, twice: plain and with sanitizers
#   make test-v2    run the program in a virtual machine that has cgroup v2 only
#   make bench-build  build what the benchmarks need, measure nothing
#   make bench      the same, and then measure everything: ten minutes or so
#   make install    PREFIX=/usr/local DESTDIR=
.POSIX:
.SUFFIXES:

PREFIX = /usr/local
DESTDIR =
FUZZ_SECONDS = 30
CONFIGURE =

all: build

build:
	@scripts/setup.sh build
	@mkdir -p build
	@cmake --preset release -DFUMEHOOD_TESTS=OFF $(CONFIGURE) >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@[ -x build/release/fumehood ] || echo "building build/release/fumehood"
	@cmake --build --preset release -- --quiet >build/build.log 2>&1 || { cat build/build.log; exit 1; }

# The library knows its program by the path that it was built for.
install:
	@$(MAKE) -s build CONFIGURE="-DCMAKE_INSTALL_PREFIX=$(PREFIX)"
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)" >build/install.log 2>&1 || { \
	    cat build/install.log >&2; \
	    echo "make install: nothing was installed below $(DESTDIR)$(PREFIX) (without the right to write there:" \
	        "sudo make install, or make install PREFIX=$$HOME/.local)" >&2; exit 1; }
	@echo "$(DESTDIR)$(PREFIX)/bin/fumehood"

demo: build
	@scripts/setup.sh demo
	@scripts/demo.sh build/release/fumehood

test:
	@scripts/setup.sh build test
	@tests/run_all.sh

test-v2: build
	@scripts/setup.sh vm
	@tests/vm/cgroup-v2.sh build/release/fumehood

asan:
	@scripts/setup.sh build test
	@cmake --preset asan
	@cmake --build --preset asan

fuzz:
	@scripts/setup.sh build test fuzz
	@mkdir -p build
	@scripts/fuzz.sh $(FUZZ_SECONDS)

bench-build: build
	@scripts/setup.sh demo
	@cmake --build --preset release --target bench_warm -- --quiet >build/build.log 2>&1 || { cat build/build.log; exit 1; }

bench: bench-build
	@bench/run build/release/fumehood

clean:
	rm -rf build

.PHONY: all build install demo test test-v2 asan fuzz bench-build bench clean
