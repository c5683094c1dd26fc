# SPDX-License-Identifier: GPL-2.0
#
# Front door of the scan-policy library; "make help" lists what there is.

BUILD    := $(CURDIR)/build
KSRC     ?=
O        ?= $(BUILD)/kernel
TOPOLOGY ?= 2x2
REPS     ?= 5
JOBS     ?=
POLICIES ?=
WORKLOADS ?=
OUT      ?= $(BUILD)/results

# What names a path or is one word of a command must be one word here.
define one-word
$(if $(filter 1,$(words $($(1)))),,$(error $(1)="$($(1))": must be one word, without blanks))
endef
$(foreach v,CURDIR BUILD O OUT TOPOLOGY REPS,$(call one-word,$(v)))
$(if $(filter 0 1,$(words $(KSRC))),,$(error KSRC="$(KSRC)": a path with blanks does not work here))

# A kernel's own make takes O= and KSRC= from its command line only, never from ours.
MAKEOVERRIDES :=
unexport KSRC O

TOOL     := $(BUILD)/numa-policy
INITRD   := $(BUILD)/guest/initramfs.cpio
OBJ      := $(abspath $(O))
T        := tools/numa_policy
P        := kernel/sched/numa_policy

PACKAGES := bc binutils bison ccache cpio flex gcc gnuplot-nox jq libc6-dev libc6-dev-i386 libelf-dev \
	    libgsl-dev lib32gcc-12-dev libjansson-dev make python3 qemu-system-x86 qemu-user rsync \
	    xz-utils zlib1g-dev $(if $(KSRC),,linux-source-6.12)

# What only the tests need: a browser, programs to run in guests, what runs cells elsewhere.
TEST_PACKAGES := chromium git linux-perf munge openssh-server parallel slurm-wlm stress-ng \
		 trace-cmd unifdef

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help compare compare-options experiments experiment-options test histories mutate kunit \
	coverage oracle kernel tools guest apply unapply deps test-deps clean distclean FORCE
FORCE:

help:
	@echo 'make compare     run the policies in guests and print a comparison (30 minutes)'
	@echo 'make experiments hold the published claims against runs in guests, with a verdict each (an hour)'
	@echo 'make test        run every test (an hour)'
	@echo 'make kunit       run the KUnit suite on user-mode Linux and in QEMU'
	@echo 'make histories   play the scripted histories to the policies, in user space'
	@echo 'make mutate      whether the histories notice mistakes in the policies, one at a time'
	@echo 'make coverage    which lines and branches of the policies the histories run through'
	@echo 'make oracle      the policies against a second model, along random histories'
	@echo 'make bench       measure what the library costs, in guest instructions'
	@echo 'make stress      kernels that look for mistakes, in guests where everything happens at once'
	@echo 'make patches     write the library as a series of patches for the tree KSRC'
	@echo 'make check       what the kernel'"'"'s own checks, other compilers and configurations say (40 minutes; QUICK=1: 3)'
	@echo 'make kernel      build the guest kernel with all policies'
	@echo 'make deb         build Debian packages of the patched kernel, for real hardware'
	@echo 'make apply       put the library into the kernel tree KSRC'
	@echo 'make unapply     take it out of KSRC again, leaving the tree as it was'
	@echo 'make tools       build build/numa-policy and the guest program only'
	@echo 'make deps        install the packages that are missing, or say which are'
	@echo 'make clean       remove build products, keep the kernel and results'
	@echo 'make distclean   remove build/ with everything in it'
	@echo
	@echo 'POLICIES=A,B     compare: policies (default: all; build/numa-policy list shows them)'
	@echo 'WORKLOADS=X,Y    compare: workloads (default: six of them; list marks the others)'
	@echo 'REPS=N           compare: runs of each policy and workload (default: 5)'
	@echo 'JOBS=J           compare: guests at once (default: one per CPU)'
	@echo 'TOPOLOGY=T       compare: nodes x CPUs per node, e.g. 4x2 (default: 2x2)'
	@echo 'DURATION=S       stress: guest seconds on each kernel (default: 600)'
	@echo 'SWITCHES=N       stress: switches of the policy in that time (default: 1000)'
	@echo 'EXPERIMENTS="..." experiments: names (default: all; build/numa-policy experiment --help)'
	@echo 'ARGS="..."       compare: further options, as numa-policy compare --help lists them'
	@echo 'KERNELS=A,B      bench: of one, switch, stats, shadow (default: all)'
	@echo 'HISTORIES=FILE   histories: what to play (default: lib/kunit/numa_policy/histories)'
	@echo 'DECISIONS=N      oracle: decisions in all (default: 100000000)'
	@echo 'SEED=S           oracle: a seed that a run printed (default: a fresh one)'
	@echo 'RESULTS=DIR      patches: the comparison that the cover letter shows (default: none)'
	@echo 'CHECK=1          patches: build after each of them, run KUnit and guests (30 minutes)'
	@echo 'PATCHES=DIR      patches: where they go (default: build/patches)'
	@echo 'QUICK=1          check: the quick form, for every commit'
	@echo 'SKIP="..."       check: parts to leave out, which otherwise fail if they cannot be run'
	@echo 'RANDOM=N         check: random configurations of a kernel (default: 50; SEED=S as printed)'
	@echo 'OUT=DIR          compare: where results go (default: build/results)'
	@echo 'CONFIG=FILE      deb: what to begin with (default: the running kernel'"'"'s, or Debian'"'"'s)'
	@echo 'DEBUG=1          deb: keep debug information'
	@echo 'KSRC=DIR         kernel source (default: the distribution'"'"'s linux-source-6.12)'
	@echo 'O=DIR            where the guest kernel is built (default: build/kernel)'

deps:
	@$(T)/deps.sh $(PACKAGES)

test-deps: deps
	@$(T)/deps.sh $(TEST_PACKAGES)

# ---- tools: the command-line program for the host, the program that runs in the guest ----

CFLAGS   ?= -O2 -g
NP_CFLAGS := -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter -Werror \
	     -Wno-missing-field-initializers $(CFLAGS)

# The policies' own sources, compiled for user space with every policy in.
POLICY_NAMES := $(shell sed -n 's/^[[:space:]]*X.[A-Z0-9_]*, \([a-z0-9_]*\),.*/\1/p' $(P)/policies.h)
POLICY_SYMS  := $(shell sed -n 's/^[[:space:]]*X.\([A-Z0-9_]*\),.*/\1/p' $(P)/policies.h)
POLICY_PAIRS := $(join $(POLICY_NAMES:%=%=),$(POLICY_SYMS))
WINDOWS  ?= 4
POLICY_CPPFLAGS := -I$(T)/include -Iinclude -include linux/kconfig.h \
		   -DCONFIG_NUMA_POLICY_WINDOWS=$(WINDOWS) -DCONFIG_NUMA_POLICY_SHARED_THRESHOLD=3 \
		   $(POLICY_SYMS:%=-DCONFIG_NUMA_POLICY_%=1)

TOOL_SRC := $(wildcard $(T)/*.c) $(POLICY_NAMES:%=$(P)/%.c)
TOOL_OBJ := $(TOOL_SRC:%.c=$(BUILD)/host/%.o)
TOOL_LIBS := -ljansson -lgsl -lgslcblas -lm -lz

# Changes when another number of windows is asked for.
$(BUILD)/np-windows: FORCE | deps
	@mkdir -p $(@D)
	@{ [ -e $@ ] && [ "$$(cat $@)" = "$(WINDOWS)" ]; } || echo "$(WINDOWS)" >$@

$(BUILD)/host/%.o: %.c $(BUILD)/np-windows Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(NP_CFLAGS) $(POLICY_CPPFLAGS) -MMD -MP -c -o $@ $<

$(TOOL): $(TOOL_OBJ)
	@echo "  LINK    $(notdir $@)"
	@$(CC) $(CFLAGS) -o $@ $^ $(TOOL_LIBS)

-include $(TOOL_OBJ:.o=.d)

include $(T)/guest/guest.mk

# The plugin that counts memory accesses of guests; QEMU loads it.
TRAFFIC  := $(BUILD)/numa-policy-traffic.so

$(TRAFFIC): $(T)/traffic/plugin.c $(wildcard $(T)/traffic/*.h) Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $(notdir $@)"
	@$(CC) $(NP_CFLAGS) -fPIC -shared -fvisibility=hidden -o $@ $<

guest: $(INITRD)
tools: $(TOOL) guest $(TRAFFIC)

# ---- the guest kernel ----

# What the kernel is made of, besides its source.
LIBRARY  := $(wildcard $(P)/* $(P)/.kunitconfig lib/kunit/numa_policy/*) \
	    $(wildcard include/linux/numa_policy*.h include/trace/events/numa_policy.h fs/proc/numa_scan_policy.c) \
	    $(wildcard $(T)/shim/* $(T)/shim*.c) $(T)/kernel.sh
CONFIGS  := $(T)/guest/kernel.config $(T)/guest/x86_64.config $(BUILD)/policies.config

$(BUILD)/policies.config: $(P)/policies.h
	@mkdir -p $(@D)
	@{ printf 'CONFIG_NUMA_POLICY_%s=y\n' $(POLICY_SYMS) SWITCH STATS TRACE; } >$@

# Changes when another tree is asked for, or something in that tree changed.
$(OBJ)/np-ksrc: FORCE | deps
	@mkdir -p $(@D)
	@{ [ -e $@ ] && [ "$$(cat $@)" = "$(KSRC)" ]; } || echo "$(KSRC)" >$@
	@[ -z "$(KSRC)" ] || [ ! -d "$(KSRC)" ] || [ ! -e $(OBJ)/bzImage ] || \
		[ -z "$$(find "$(KSRC)" -name .git -prune -o -newer $(OBJ)/bzImage -print -quit)" ] || touch $@

$(OBJ)/bzImage: $(OBJ)/np-ksrc $(LIBRARY) $(CONFIGS) | $(TOOL)
	@echo "Building the guest kernel in $(OBJ) (log: $(OBJ)/build.log)"
	@$(T)/kernel.sh source $(TOOL) $(BUILD) "$(KSRC)" >$(OBJ)/np-source
	@$(T)/kernel.sh build "$$(cat $(OBJ)/np-source)" $(OBJ) $(CONFIGS)
	@touch $@

kernel: deps $(OBJ)/bzImage

include $(T)/bench/bench.mk

include $(T)/deb/deb.mk

apply unapply: $(TOOL)
	@[ -n "$(KSRC)" ] || { echo "make $@: say which kernel tree: make $@ KSRC=DIR" >&2; exit 2; }
	@$(TOOL) $@ $(if $(filter apply,$@),--lib "$(CURDIR)") "$(KSRC)"

# ---- the two front doors ----

COMPARE = $(TOOL) compare --kernel $(OBJ) --initrd $(INITRD) --topology '$(TOPOLOGY)' \
	  --reps '$(REPS)' --out $(OUT) $(if $(JOBS),--jobs '$(JOBS)') \
	  $(if $(POLICIES),--policies '$(POLICIES)') \
	  $(if $(WORKLOADS),--workloads '$(WORKLOADS)') $(ARGS)

# What is misspelt is said before a kernel is built for it.
compare-options: $(TOOL)
	@$(COMPARE) --dry-run

compare: compare-options kernel tools
	@$(COMPARE)

EXPERIMENTS ?= all

EXPERIMENT = $(TOOL) experiment --kernel $(OBJ) --initrd $(INITRD) --topology '$(TOPOLOGY)' \
	     --out $(BUILD)/experiments $(if $(JOBS),--jobs '$(JOBS)') $(ARGS) $(EXPERIMENTS)

experiment-options: $(TOOL)
	@$(EXPERIMENT) --dry-run

experiments: experiment-options kernel tools
	@$(EXPERIMENT)

# ---- tests: all that is compiled for them is compiled with sanitizers ----

SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
TESTS    := $(BUILD)/test/unit $(BUILD)/test/many $(BUILD)/test/altered $(BUILD)/test/wander

# The player of histories is built in many ways: wN is N windows with all policies, wN-32 the same
# for a 32-bit machine, wN-tM with another threshold, wN-POLICY with that policy alone. In some of
# them the trace events are left out, static calls are pointers, in others there is switching or statistics; w2-POLICY has
# switching with one policy to switch to, w4-t5 another default, w4-POLICY statistics with one policy, inlined.
H        := lib/kunit/numa_policy
HISTORY_BUILDS := $(foreach n,2 3 4 5 6 7 8,w$(n)) $(foreach n,2 4 8,w$(n)-32) w4-t5 \
		  $(foreach n,2 4 8,$(POLICY_NAMES:%=w$(n)-%))
HISTORY_TESTS := $(HISTORY_BUILDS:%=$(BUILD)/test/histories/%)
M32      := -m32 -idirafter /usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)

# Options of a build: its number of windows, its second part, its policies, the one in force.
hb-windows = $(patsubst w%,%,$(firstword $(subst -, ,$(1))))
hb-part = $(word 2,$(subst -, ,$(1)))
hb-policies = $(or $(filter $(call hb-part,$(1)),$(POLICY_NAMES)),$(POLICY_NAMES))
hb-default = $(or $(filter $(call hb-part,$(1)),$(POLICY_NAMES)),$(if $(filter w4-t5,$(1)),always,seq_delta))
hb-stats = $(filter w2 w4% w5 w7 w8-32,$(1))
hb-syms = $(foreach p,$(1),$(patsubst $(p)=%,%,$(filter $(p)=%,$(POLICY_PAIRS))))
hb-options = -I$(T)/include -Iinclude -include linux/kconfig.h \
	     -DCONFIG_NUMA_POLICY_WINDOWS=$(hb-windows) \
	     -DCONFIG_NUMA_POLICY_SHARED_THRESHOLD=$(or $(patsubst t%,%,$(filter t%,$(hb-part))),3) \
	     $(patsubst %,-DCONFIG_NUMA_POLICY_%=1,$(call hb-syms,$(hb-policies))) \
	     -DCONFIG_NUMA_POLICY_DEFAULT_$(call hb-syms,$(hb-default))=1 \
	     -DCONFIG_NUMA_POLICY_DEFAULT_FILE='"$(hb-default).c"' \
	     -DCONFIG_NUMA_BALANCING=1 -DCONFIG_NUMA_POLICY_KUNIT_TEST=1 \
	     $(if $(filter w3 w6 w4-32,$(1)),,-DCONFIG_HAVE_STATIC_CALL=1) \
	     $(if $(filter w4-% w5 w7,$(1)),,-DCONFIG_NUMA_POLICY_TRACE=1) \
	     $(if $(filter w2% w4 w4-t5 w6 w7 w8-32,$(1)),-DCONFIG_NUMA_POLICY_SWITCH=1) \
	     $(if $(hb-stats),-DCONFIG_NUMA_POLICY_STATS=1) \
	     $(if $(filter 32,$(hb-part)),$(M32))
hb-sources = $(T)/util.c $(H)/history.c $(patsubst %,$(P)/%.c,$(hb-policies)) $(if $(hb-stats),$(P)/shadow.c)

# What players and oracles are made of, besides the library.
PLAYER_DEPS := $(wildcard $(T)/include/*/* $(T)/include/*/*/*) $(T)/tests/live.h $(T)/util.c $(T)/util.h Makefile

$(BUILD)/test/histories/%: $(T)/tests/histories.c $(LIBRARY) $(PLAYER_DEPS) | deps
	@mkdir -p $(@D)
	@echo "  CC      histories $*"
	@$(CC) $(NP_CFLAGS) -Wno-sign-compare $(SANITIZE) $(call hb-options,$*) -o $@ $< \
		$(call hb-sources,$*)

# Which lines and branches of the policies the histories run through. Paths in a player's notes are
# its directory's.
COVERAGE := w2 w4 w8 w4-t5 w5 w4-32 $(POLICY_NAMES:%=w2-%) w4-$(lastword $(POLICY_NAMES))

coverage: $(COVERAGE:%=$(BUILD)/coverage/%/player) prune
	@$(T)/tests/coverage.sh $(BUILD)/coverage $(H)/histories

$(BUILD)/coverage/%/player: $(T)/tests/histories.c $(LIBRARY) $(PLAYER_DEPS) | deps
	@mkdir -p $(@D)
	@echo "  CC      coverage $*"
	@rm -f $(@D)/*.gcno
	@$(CC) $(NP_CFLAGS) -Wno-sign-compare -O0 --coverage -DNP_NEVER_INLINE $(call hb-options,$*) -o $@ \
		$(abspath $< $(call hb-sources,$*))

# The policies against a second model of the specification, along random histories.
ORACLE_BUILDS := $(foreach n,2 3 4 5 6 7 8,w$(n) w$(n)-32)
ORACLES  := $(ORACLE_BUILDS:%=$(BUILD)/test/oracle/%)
DECISIONS ?= 100000000
SEED     ?=

$(BUILD)/test/oracle/%: $(wildcard $(T)/oracle/*) $(LIBRARY) $(PLAYER_DEPS) | deps
	@mkdir -p $(@D)
	@echo "  CC      oracle $*"
	@$(CC) $(NP_CFLAGS) $(call hb-options,$*) -o $@ $(filter $(T)/oracle/%.c,$^) \
		$(filter-out $(T)/util.c $(P)/shadow.c,$(call hb-sources,$*))

# What is left of builds that there are no more must not be played.
prune:
	@rm -rf $(filter-out $(HISTORY_TESTS) $(ORACLES) $(COVERAGE:%=$(BUILD)/coverage/%),\
		$(wildcard $(BUILD)/test/histories/* $(BUILD)/test/oracle/* $(BUILD)/coverage/*))

oracle: $(ORACLES) prune
	@$(T)/tests/oracle.sh $(BUILD)/test/oracle '$(DECISIONS)' '$(SEED)'

# The histories in KUnit, by the kernel's own kunit.py: on user-mode Linux and in QEMU.
kunit: deps $(TOOL) $(OBJ)/np-ksrc
	@$(T)/kernel.sh source $(TOOL) $(BUILD) "$(KSRC)" >$(BUILD)/kunit-source
	@status=0; for arch in um x86_64; do \
		$(T)/kunit.sh "$$(cat $(BUILD)/kunit-source)" $(BUILD)/kunit $$arch $$arch $(KUNIT_ARGS) || \
			status=1; \
	done; exit $$status

# The histories in user space, with sanitizers, in every build.
HISTORIES ?= $(H)/histories

histories: $(HISTORY_TESTS) prune
	@$(T)/tests/histories.sh $(BUILD)/test/histories $(HISTORIES) \
		$(if $(filter $(H)/histories,$(HISTORIES)),,--own)

# Mistakes made in the policies, and whether the histories notice: builds in the order in which they
# are tried, the one with sanitizers last, for what only those notice.
MUTATE_BUILDS := w4 w2 w8 w4-t5 w5 w4-32 $(POLICY_NAMES:%=w2-%) w4-seq_delta
mutate-command = $(CC) $(call hb-options,$(1)) $(T)/tests/histories.c $(call hb-sources,$(1))

$(BUILD)/test/mutate: $(T)/tests/mutate.c $(T)/util.c $(T)/util.h Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $(notdir $@)"
	@$(CC) $(NP_CFLAGS) $(SANITIZE) -o $@ $(filter %.c,$^)

mutate: $(BUILD)/test/mutate
	@$< $(if $(JOBS),--jobs '$(JOBS)') $(ARGS) \
		$(foreach b,$(MUTATE_BUILDS),--build $(b) $(call mutate-command,$(b))) \
		--build sanitized $(call mutate-command,w4) $(SANITIZE)

UNIT_SRC := $(filter-out %/numa-policy.c,$(TOOL_SRC))

$(BUILD)/test/unit: $(T)/tests/unit.c $(TOOL_OBJ) Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $(notdir $@)"
	@$(CC) $(NP_CFLAGS) $(SANITIZE) $(POLICY_CPPFLAGS) -o $@ $< $(UNIT_SRC) $(TOOL_LIBS)

# Measures the tool itself, so it is compiled as the tool is.
$(BUILD)/test/many: $(T)/tests/many.c $(TOOL_OBJ) Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $(notdir $@)"
	@$(CC) $(NP_CFLAGS) $(POLICY_CPPFLAGS) -o $@ $< \
		$(filter-out %/numa-policy.o,$(TOOL_OBJ)) $(TOOL_LIBS)

# Kernel trees altered near the places that are edited; they are many, so no sanitizers.
$(BUILD)/test/altered: $(T)/tests/altered.c $(T)/shim_match.c $(T)/shim_hooks.c $(T)/util.c \
		$(T)/shim_match.h $(T)/util.h Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $(notdir $@)"
	@$(CC) $(NP_CFLAGS) -o $@ $(filter %.c,$^)

# Runs in guests.
$(BUILD)/test/wander: $(T)/tests/wander.c Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $(notdir $@)"
	@$(CC) $(NP_CFLAGS) -o $@ $<

# The kernel's own files, untouched, for the tests of apply and unapply.
$(BUILD)/test/pristine: $(T)/shim/hooks $(T)/kernel.sh $(OBJ)/np-ksrc | $(TOOL)
	@$(T)/kernel.sh pristine $(TOOL) $@ "$(KSRC)"

include $(T)/stress/stress.mk
include $(T)/series/series.mk
include $(T)/check/check.mk

test: test-deps kernel bench-kernels tools $(TESTS) $(HISTORY_TESTS) $(ORACLES) \
		$(COVERAGE:%=$(BUILD)/coverage/%/player) prune $(BUILD)/test/pristine stress-parts
	@$(T)/tests/run.sh $(CURDIR) $(BUILD) $(OBJ) "$$(cat $(OBJ)/np-source)"

clean:
	rm -rf $(BUILD)/host $(BUILD)/guest $(BUILD)/test $(TOOL) $(TRAFFIC) $(COUNTER) $(BUILD)/policies.config
	rm -rf $(STRESS_INITRD) $(BUILD)/stress/init $(JUDGE) $(DEB_DIR)

distclean:
	rm -rf $(BUILD)
