# The door for a newcomer: `make help` says what there is. CMake does the work.
MODEL ?= models/blade.zw
FUZZ_SECONDS ?= 60
JOBS := $(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS += --no-print-directory
ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR ?= Ninja
endif

.PHONY: install uninstall deb test-packages build run pictures wheel test test-all test-sanitize house soak format bench fuzz clean help

build: build/.configured
	@cmake --build --preset release -j $(JOBS) --target zwang libzwang_static libzwang_shared

run: build
	@mkdir -p out
	@echo; echo "== The equations of $(MODEL), in two forms"
	@build/zwang derive "$(MODEL)" --form multipliers,appell
	@echo; echo "== Are they the same?"
	@build/zwang check "$(MODEL)" --only forms
	@echo; echo "== The motion"
	@name=out/$$(basename "$(MODEL)" .zw) && \
	    build/zwang run "$(MODEL)" --out "$$name.csv" --plot "$$name.svg"

# The sheet of all models in the manual: look at it.
pictures: build
	@build/zwang gallery --picture docs/gallery.svg

# A self-contained wheel of the Python package, in dist/.
wheel: build/.setup
	@tools/setup python
	@tools/wheel dist

# The parts are a list in tools/test.
test: build/.configured
	@tools/test release

# With other programs that read what ours writes, so that the tests that ask them run too.
test-all: build/.configured
	@tools/setup peers || echo "Without these programs the tests that ask them are skipped."
	@tools/test

test-sanitize: build/.configured
	@tools/test sanitize

house:
	@tools/setup house
	@tools/house

# Against brute force, in exact fractions or by trying all, and the gallery by every description: hundreds of them in
# `make test`, thousands here.
RANDOM_PROBLEMS = base_decimal contact_lcp_dense contact_contact_dense contact_friction contact_friction_cases \
    contact_friction_impact contact_friction_step contact_impact contact_contact contact_lcp_sparse \
    contact_reaction_forces api_descriptions api_failures dynamics_elimination dynamics_inertia_check \
    motion_load_points inquiry_disguises inquiry_freedom inquiry_random_systems program_curve_bounds \
    program_time_bounds simulate_contact_scale simulate_friction simulate_friction_bounds simulate_event_instants \
    simulate_friction_joints simulate_friction_random simulate_given_impulses simulate_hidden_conditions \
    simulate_model_events simulate_multistep simulate_narrow_forces simulate_narrow_places simulate_nonlinear simulate_poor_speeds \
    simulate_rows simulate_singular_positions simulate_start_choice simulate_timestepping simulate_velocity_jumps \
    simulate_watch simulate_flat_linkages simulate_nested_kinks simulate_not_finite simulate_switches_on_conditions \
    simulate_tables simulate_timestepping_switches simulate_units

soak: build/.configured
	@cmake --build --preset release -j $(JOBS) --target soak $(RANDOM_PROBLEMS)
	@for test in $(RANDOM_PROBLEMS); do ZWANG_TEST_SIZE=20 build/tests/$$test || exit 1; done
	@build/tests/soak

format:
	@tools/setup format
	@tools/format

bench: build/.configured
	@tools/setup bench
	@tools/setup siconos || echo "Siconos cannot be had here; its columns stay empty."
	@cmake --build --preset release -j $(JOBS) --target zwang benchmarks
	@bench/pendulum
	@bench/derivation
	@bench/forms
	@bench/programs
	@bench/sides
	@bench/friction
	@bench/many
	@bench/ropes
	@bench/column
	@bench/hoop
	@bench/rows
	@bench/linearize
	@bench/stiff
	@python=$$(tools/python_with casadi || echo python3); \
	for each in accelerations motions orbits preparation; do $$python bench/$$each.py || true; done

# Into PREFIX, and out again: what was written there is listed in build/, a file for each PREFIX.
PREFIX ?= /usr/local
INSTALLED = build/installed$(subst /,_,$(DESTDIR)$(PREFIX)).txt
install: build
	@cmake --build --preset release -j $(JOBS) --target completions
	@cmake --install build --prefix "$(PREFIX)" --component Unspecified
	@mv build/install_manifest_Unspecified.txt "$(INSTALLED)"

uninstall:
	@test -f "$(INSTALLED)" || { echo "nothing was installed from here into $(DESTDIR)$(PREFIX)"; exit 1; }
	@while read -r file || [ -n "$$file" ]; do rm -f "$(DESTDIR)$$file"; done <"$(INSTALLED)"
	@rmdir "$(DESTDIR)$(PREFIX)/lib/cmake/zwang" 2>/dev/null || :
	@rm "$(INSTALLED)"

deb: build
	@cmake --build --preset release -j $(JOBS) --target completions
	@cd build && cpack -G DEB

# As root: the wheel, the package, a prefix and a clone in an empty system made by debootstrap.
test-packages: deb wheel
	@tools/setup packages
	@tests/tools/packages.sh build dist/zwang-*.whl

fuzz: build/.setup
	@tools/setup fuzz
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz

clean:
	rm -rf build build-debug build-sanitize build-tsan build-clang build-fuzz build-edges build-python build-wheel

help:
	@echo "make                     install what is missing, build build/zwang"
	@echo "make run [MODEL=my.zw]   equations in two forms, their proof, a motion as CSV and plot in out/"
	@echo "make pictures            draw all models of the gallery into docs/gallery.svg"
	@echo "make wheel               a wheel of the Python package in dist/ that needs nothing else"
	@echo "make test                build and run all tests, in under five minutes"
	@echo "make test-all            the same, then the simulation core under sanitizers and another compiler: under 40 minutes"
	@echo "make test-sanitize       of these, address and undefined-behaviour sanitizers alone"
	@echo "make house               figures of the simulation core: sizes, thresholds, what a source sees"
	@echo "make soak                thousands of random problems, closed loops over a million steps each, 10⁵ impacts; most of an hour"
	@echo "make format              lay the C files out with clang-format"
	@echo "make bench               time ourselves against SymPy, GiNaC, Siconos, SciPy, CasADi, heyoka and C"
	@echo "make fuzz                fuzz readers, questions and calls for FUZZ_SECONDS=$(FUZZ_SECONDS) each; says what the seeds reach"
	@echo "make install [PREFIX=/usr/local], make uninstall   the program, the library, manual page, completions"
	@echo "make deb                 a package for Debian in build/"
	@echo "make test-packages       as root: wheel, package, prefix and clone in an empty system (debootstrap)"
	@echo "make clean               remove all build folders"

# Installs what is missing, once.
build/.setup: tools/setup
	@tools/setup
	@tools/setup web || echo "Without Node.js and npm 'zwang view' is left out; everything else works."
	@mkdir -p build && touch build/.setup

build/.configured: build/.setup CMakePresets.json
	@cmake --preset release
	@touch $@

build-%/.configured: build/.setup CMakePresets.json
	@cmake --preset $*
	@touch $@
