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

PACKAGES := bc binutils bison ccache cpio flex gcc jq libc6-dev libelf-dev libgsl-dev libjansson-dev \
	    make qemu-system-x86 rsync xz-utils $(if $(KSRC),,linux-source-6.12)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help compare compare-options test kernel tools guest apply unapply deps clean distclean FORCE
FORCE:

help:
	@echo 'make compare     run the policies in guests and print a comparison'
	@echo 'make test        run every test'
	@echo 'make kernel      build the guest kernel with all policies'
	@echo 'make apply       put the library into the kernel tree KSRC'
	@echo 'make unapply     take it out of KSRC again, leaving the tree as it was'
	@echo 'make tools       build build/numa-policy and the guest program only'
	@echo 'make deps        install the packages that are missing, or say which are'
	@echo 'make clean       remove build products, keep the kernel and results'
	@echo 'make distclean   remove build/ with everything in it'
	@echo
	@echo 'POLICIES=A,B     compare: policies (default: all; build/numa-policy list shows them)'
	@echo 'WORKLOADS=X,Y    compare: workloads (default: all)'
	@echo 'REPS=N           compare: runs of each policy and workload (default: 5)'
	@echo 'JOBS=J           compare: guests at once (default: one per CPU)'
	@echo 'TOPOLOGY=T       compare: nodes x CPUs per node, e.g. 4x2 (default: 2x2)'
	@echo 'ARGS="..."       compare: further options, as numa-policy compare --help lists them'
	@echo 'OUT=DIR          compare: where results go (default: build/results)'
	@echo 'KSRC=DIR         kernel source (default: the distribution'"'"'s linux-source-6.12)'
	@echo 'O=DIR            where the guest kernel is built (default: build/kernel)'

deps:
	@$(T)/deps.sh $(PACKAGES)

# ---- tools: the command-line program for the host, the program that runs in the guest ----

CFLAGS   ?= -O2 -g
NP_CFLAGS := -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter -Werror \
	     -Wno-missing-field-initializers $(CFLAGS)

# The policies' own sources, compiled for user space with every policy in.
POLICY_NAMES := $(shell sed -n 's/^[[:space:]]*X.[A-Z0-9_]*, \([a-z0-9_]*\),.*/\1/p' $(P)/policies.h)
POLICY_SYMS  := $(shell sed -n 's/^[[:space:]]*X.\([A-Z0-9_]*\),.*/\1/p' $(P)/policies.h)
WINDOWS  ?= 4
POLICY_CPPFLAGS := -I$(T)/include -Iinclude -include linux/kconfig.h \
		   -DCONFIG_NUMA_POLICY_WINDOWS=$(WINDOWS) -DCONFIG_NUMA_POLICY_SHARED_THRESHOLD=3 \
		   $(POLICY_SYMS:%=-DCONFIG_NUMA_POLICY_%=1)

TOOL_SRC := $(wildcard $(T)/*.c) $(POLICY_NAMES:%=$(P)/%.c)
TOOL_OBJ := $(TOOL_SRC:%.c=$(BUILD)/host/%.o)
TOOL_LIBS := -ljansson -lgsl -lgslcblas -lm

$(BUILD)/host/%.o: %.c Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(NP_CFLAGS) $(POLICY_CPPFLAGS) -MMD -MP -c -o $@ $<

$(TOOL): $(TOOL_OBJ)
	@echo "  LINK    $(notdir $@)"
	@$(CC) $(CFLAGS) -o $@ $^ $(TOOL_LIBS)

-include $(TOOL_OBJ:.o=.d)

include $(T)/guest/guest.mk

guest: $(INITRD)
tools: $(TOOL) guest

# ---- the guest kernel ----

# What the kernel is made of, besides its source.
LIBRARY  := $(wildcard $(P)/* include/linux/numa_policy*.h include/trace/events/numa_policy.h) \
	    $(wildcard $(T)/shim/* $(T)/shim*.c) $(T)/kernel.sh
CONFIGS  := $(T)/guest/kernel.config $(BUILD)/policies.config

$(BUILD)/policies.config: $(P)/policies.h
	@mkdir -p $(@D)
	@{ printf 'CONFIG_NUMA_POLICY_%s=y\n' $(POLICY_SYMS) TRACE; } >$@

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

# ---- tests: all that is compiled for them is compiled with sanitizers ----

SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
TESTS    := $(BUILD)/test/unit $(foreach n,2 4 8,$(BUILD)/test/policies-test-$(n))

$(BUILD)/test/policies-test-%: $(T)/tests/policies-test.c $(POLICY_NAMES:%=$(P)/%.c) $(LIBRARY) \
		$(wildcard $(T)/include/linux/*) Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $(notdir $@)"
	@$(CC) $(NP_CFLAGS) $(SANITIZE) $(subst WINDOWS=$(WINDOWS),WINDOWS=$*,$(POLICY_CPPFLAGS)) \
		$(if $(filter 8,$*),-UCONFIG_NUMA_POLICY_SHARED_THRESHOLD \
			-DCONFIG_NUMA_POLICY_SHARED_THRESHOLD=5) \
		-o $@ $(filter %.c,$(filter-out $(P)/core.c $(T)/shim%,$^))

UNIT_SRC := $(filter-out %/numa-policy.c,$(TOOL_SRC))

$(BUILD)/test/unit: $(T)/tests/unit.c $(TOOL_OBJ) Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $(notdir $@)"
	@$(CC) $(NP_CFLAGS) $(SANITIZE) $(POLICY_CPPFLAGS) -o $@ $< $(UNIT_SRC) $(TOOL_LIBS)

# The kernel's own files, untouched, for the tests of apply and unapply.
$(BUILD)/test/pristine: $(T)/shim/hooks $(OBJ)/np-ksrc | $(TOOL)
	@$(T)/kernel.sh pristine $(TOOL) $@ "$(KSRC)"

test: kernel tools $(TESTS) $(BUILD)/test/pristine
	@$(T)/tests/run.sh $(CURDIR) $(BUILD) $(OBJ) "$$(cat $(OBJ)/np-source)"

clean:
	rm -rf $(BUILD)/host $(BUILD)/guest $(BUILD)/test $(TOOL) $(BUILD)/policies.config

distclean:
	rm -rf $(BUILD)
