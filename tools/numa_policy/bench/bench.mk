# SPDX-License-Identifier: GPL-2.0
#
# "make bench": kernels that are measured, the guest program that gives them what is measured to do,
# and the plugin of QEMU's that counts. To be included behind the guest kernel's rules.

BENCH_DIR := $(T)/bench
BENCH    := $(BUILD)/bench
COUNTER  := $(BUILD)/numa-policy-bench.so
BENCH_INITRD := $(BUILD)/guest/bench.cpio

# Kernels to measure besides the unpatched one; empty: all. "shadow" is the one with statistics.
KERNELS  ?=
BENCH_ALL := one switch stats

comma    := ,
bench-chosen = $(filter $(BENCH_ALL),$(subst shadow,switch stats,$(subst $(comma), ,$(KERNELS))))
BENCH_IMAGES = $(patsubst %,$(BENCH)/%/bzImage,unpatched $(or $(bench-chosen),$(BENCH_ALL)))

.PHONY: bench bench-kernels

$(COUNTER): $(BENCH_DIR)/plugin.c $(BENCH_DIR)/marks.h $(wildcard $(T)/traffic/*.h) Makefile | deps
	@mkdir -p $(@D)
	@echo "  CC      $(notdir $@)"
	@$(CC) $(NP_CFLAGS) -fPIC -shared -fvisibility=hidden -o $@ $<

$(BUILD)/guest/bench: $(BENCH_DIR)/init.c $(BENCH_DIR)/marks.h $(T)/traffic/marks.h $(BENCH_DIR)/bench.mk | deps
	@mkdir -p $(@D)
	@echo "  CC      guest $(@F)"
	@$(GUEST_CC) -static -s $(GUEST_CFLAGS) -o $@ $<

$(BENCH_INITRD): $(BUILD)/guest/bench $(BUILD)/guest/mkcpio
	@$(BUILD)/guest/mkcpio $< $@

tools: $(COUNTER) $(BENCH_INITRD)

bench-options-unpatched :=
bench-options-one := DEFAULT_SEQ_DELTA
bench-options-switch := $(POLICY_SYMS) SWITCH
bench-options-stats := $(POLICY_SYMS) SWITCH STATS

$(BENCH)/%.config: $(P)/policies.h $(BENCH_DIR)/bench.mk
	@mkdir -p $(@D)
	@printf '%s\n' $(patsubst %,CONFIG_NUMA_POLICY_%=y,$(bench-options-$*)) >$@

# The unpatched kernel is built whole, the others as copies of it in which only what the library
# touches is compiled again.
$(BENCH)/unpatched/bzImage: $(OBJ)/np-ksrc $(BENCH_DIR)/kernel.config | $(TOOL)
	@echo "Building the unpatched kernel in $(@D) (log: $(@D)/build.log)"
	@mkdir -p $(@D)
	@src=$$($(T)/kernel.sh source $(TOOL) $(BUILD) "$(KSRC)") && \
		$(T)/kernel.sh plain $(TOOL) "$$src" $(BUILD)/plain-source
	@$(T)/kernel.sh build $(BUILD)/plain-source $(@D) $(BENCH_DIR)/kernel.config
	@touch $@

$(BENCH_ALL:%=$(BENCH)/%/bzImage): $(BENCH)/%/bzImage: $(BENCH)/unpatched/bzImage $(LIBRARY) \
		$(BENCH)/%.config
	@echo "Building the kernel '$*' in $(@D) (log: $(@D)/build.log)"
	@src=$$($(T)/kernel.sh source $(TOOL) $(BUILD) "$(KSRC)") && \
		$(T)/kernel.sh derive $(BENCH)/unpatched "$$src" $(@D) $(BENCH_DIR)/kernel.config \
			$(BENCH)/$*.config
	@touch $@

bench-kernels: deps $(BENCH_IMAGES)

bench: bench-kernels tools
	@$(TOOL) bench $(if $(KERNELS),--kernels '$(KERNELS)') $(if $(JOBS),--jobs '$(JOBS)') $(ARGS)
