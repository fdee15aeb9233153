# A thin front to CMake. `make help` lists the targets; variables: BUILD, PREFIX, DESTDIR, JOBS, CC, CMAKE_ARGS, and WERROR=1, with which warnings
# are errors: for us, since somebody else's compiler may know warnings that ours does not.
# TIPS_TEST_PEERS=1 in the environment: the tests against PyTorch and ONNX Runtime must run; what they need is installed.
BUILD ?= build
BUILD_SANITIZE ?= build-sanitize
BUILD_MINIMAL ?= build-minimal
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_ARGS ?=
settings = $(if $(filter 1,$(WERROR)),-DTIPS_WERROR=ON) $(CMAKE_ARGS)

ifneq ($(origin CC),default)
COMPILER := -DCMAKE_C_COMPILER=$(CC)
endif
GENERATOR := $(shell command -v ninja >/dev/null 2>&1 && echo Ninja || echo "Unix Makefiles")
# A build directory keeps the generator it was made with.
configure = if test -f $(1)/CMakeCache.txt; then cmake $(2) $(1) >/dev/null; \
	else cmake -S . -B $(1) -G "$(GENERATOR)" $(COMPILER) $(2); fi
compile = cmake --build $(1) --parallel $(JOBS)
run_tests = cd $(1) && ctest -j 2 --output-on-failure --no-tests=error

.PHONY: all test test-levels check-full demo bench install uninstall sanitize minimal without format clean deps help

all: ## build the library and the command
	@$(call configure,$(BUILD),$(settings))
	@$(call compile,$(BUILD))

deps: ## install the packages the build needs, if any is missing
	@tools/deps.sh build $(if $(filter 1,$(TIPS_TEST_PEERS)),peers) $(if $(filter clang,$(notdir $(CC))),clang)

test: deps all ## the quick tests
	@$(call run_tests,$(BUILD)) -LE full

test-levels: deps all ## the quick tests of kernels at every lower level that this processor runs
	@for level in $$(TIPS=$(BUILD)/tips tools/levels.sh); do echo "kernels: $$level"; \
		(export TIPS_ISA=$$level; $(call run_tests,$(BUILD)) -L 'tensor|engine|layer|pool|norm|net|optimizer|arch|verify|task' -LE full) || exit 1; done

check-full: deps all ## every test, the exhaustive ones included
	@$(call run_tests,$(BUILD))

demo: deps ## train a small network with four operators, compare them, write a report
	@$(call configure,$(BUILD),$(settings))
	@$(call compile,$(BUILD)) --target tips_command
	@TIPS=$(BUILD)/tips tools/demo.sh

bench: all ## speed against PyTorch and ONNX Runtime
	@tools/deps.sh bench
	@TIPS=$(BUILD)/tips bench/run.sh --runtime $(BUILD)/onnxruntime --blas $(BUILD)/openblas

install: ## install below DESTDIR/PREFIX
	@$(call configure,$(BUILD),$(settings) -DCMAKE_INSTALL_PREFIX=$(PREFIX))
	@$(call compile,$(BUILD))
	@tools/installed.sh before '$(BUILD)' '$(DESTDIR)' '$(PREFIX)'
	@DESTDIR='$(DESTDIR)' cmake --install $(BUILD)
	@tools/installed.sh after '$(BUILD)' '$(DESTDIR)' '$(PREFIX)'

uninstall: ## remove what install put below DESTDIR/PREFIX, and nothing else
	@tools/installed.sh remove '$(BUILD)' '$(DESTDIR)' '$(PREFIX)'

# SKIP: tests to leave out, as ctest -E takes them
sanitize: deps ## the quick tests under the address, leak and undefined behaviour sanitizers
	@$(call configure,$(BUILD_SANITIZE),-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g" -DTIPS_SANITIZE=ON -DTIPS_WERROR=ON $(settings))
	@$(call compile,$(BUILD_SANITIZE))
	@$(call run_tests,$(BUILD_SANITIZE)) -LE full $(if $(SKIP),-E '$(SKIP)')

# ROOMS: those whose tests are run, as ctest -L takes them; SKIP as above
minimal: deps ## the quick tests in a build without any of the optional libraries
	@$(call configure,$(BUILD_MINIMAL),-DTIPS_MINIMAL=ON $(settings))
	@$(call compile,$(BUILD_MINIMAL))
	@TIPS_TEST_PEERS=0; export TIPS_TEST_PEERS; $(call run_tests,$(BUILD_MINIMAL)) -LE full $(if $(ROOMS),-L '$(ROOMS)') $(if $(SKIP),-E '$(SKIP)')

without: all ## the command and libtips.so without each of the optional libraries in turn
	@JOBS=$(JOBS) tools/without.sh $(BUILD)

format: ## lay out every source by .clang-format
	clang-format -i $(wildcard include/tips/*.h src/*/*.[ch] cli/*.[ch] tests/*/*.[ch] examples/*.c bench/*.[ch])

clean: ## remove the build directories
	rm -rf $(BUILD) $(BUILD_SANITIZE) $(BUILD_MINIMAL)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile
