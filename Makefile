# A thin front to CMake. `make help` lists the targets; variables: BUILD, PREFIX, DESTDIR, JOBS, CC, CMAKE_ARGS.
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_ARGS ?=

ifneq ($(origin CC),default)
COMPILER := -DCMAKE_C_COMPILER=$(CC)
endif
GENERATOR := $(shell command -v ninja >/dev/null 2>&1 && echo Ninja || echo "Unix Makefiles")
# A build directory keeps the generator it was made with.
configure = if test -f $(1)/CMakeCache.txt; then cmake $(2) $(1) >/dev/null; \
	else cmake -S . -B $(1) -G "$(GENERATOR)" $(COMPILER) $(2); fi
compile = cmake --build $(1) --parallel $(JOBS)
run_tests = cd $(1) && ctest -j 2 --output-on-failure --no-tests=error

.PHONY: all test check-full demo bench install sanitize format clean deps help

all: ## build the library and the command
	@$(call configure,$(BUILD),$(CMAKE_ARGS))
	@$(call compile,$(BUILD))

deps: ## install the packages the build needs, if any is missing
	@tools/deps.sh build

test: deps all ## the quick tests
	@$(call run_tests,$(BUILD)) -LE full

check-full: deps all ## every test, the exhaustive ones included
	@$(call run_tests,$(BUILD))

demo: deps ## train a small network with four operators, compare them, write a report
	@$(call configure,$(BUILD),$(CMAKE_ARGS))
	@$(call compile,$(BUILD)) --target tips_command
	@TIPS=$(BUILD)/tips tools/demo.sh

bench: all ## speed against PyTorch
	@tools/deps.sh bench
	@TIPS=$(BUILD)/tips bench/run.sh

install: ## install below DESTDIR/PREFIX
	@$(call configure,$(BUILD),$(CMAKE_ARGS) -DCMAKE_INSTALL_PREFIX=$(PREFIX))
	@$(call compile,$(BUILD))
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD)

sanitize: ## the quick tests under the address, leak and undefined behaviour sanitizers
	@$(call configure,build-sanitize,-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g" -DTIPS_SANITIZE=ON $(CMAKE_ARGS))
	@$(call compile,build-sanitize)
	@$(call run_tests,build-sanitize) -LE full

format: ## lay out every source by .clang-format
	clang-format -i $(wildcard include/tips/*.h src/*/*.[ch] cli/*.[ch] tests/*/*.[ch] examples/*.c bench/*.[ch])

clean: ## remove the build directories
	rm -rf $(BUILD) build-sanitize

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile
