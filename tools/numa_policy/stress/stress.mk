# SPDX-License-Identifier: GPL-2.0
#
# "make stress": kernels that look for mistakes, the guest program that gives them occasion to, and
# what judges their consoles. To be included behind the guest kernel's rules.

STRESS_DIR := $(T)/stress
STRESS_KERNELS := kasan kcsan
STRESS_IMAGES := $(STRESS_KERNELS:%=$(BUILD)/stress/%/bzImage)
STRESS_INITRD := $(BUILD)/stress/initramfs.cpio
STRESS_SRCS := $(addprefix $(STRESS_DIR)/,stress.c work.c control.c) $(T)/util.c
JUDGE    := $(BUILD)/stress/judge

# Seconds of guest time on each kernel, and switches of the policy in them.
DURATION ?= 600
SWITCHES ?= 1000

.PHONY: stress stress-parts

$(BUILD)/stress/init: $(STRESS_SRCS) $(STRESS_DIR)/stress.h $(T)/util.h $(STRESS_DIR)/stress.mk | deps
	@mkdir -p $(@D)
	@echo "  CC      stress $(@F)"
	@$(GUEST_CC) -static -s $(GUEST_CFLAGS) -Wno-unused-parameter -o $@ $(STRESS_SRCS) -pthread

$(JUDGE): $(STRESS_DIR)/judge.c $(T)/util.c $(T)/util.h $(STRESS_DIR)/stress.mk | deps
	@mkdir -p $(@D)
	@echo "  CC      stress $(@F)"
	@$(CC) $(NP_CFLAGS) $(SANITIZE) -o $@ $(filter %.c,$^)

# The kernel's source, changed a little: source.sh says how and why.
$(BUILD)/stress/source: $(OBJ)/np-ksrc $(LIBRARY) $(STRESS_DIR)/source.sh | $(TOOL)
	@mkdir -p $(@D)
	@src=$$($(T)/kernel.sh source $(TOOL) $(BUILD) "$(KSRC)") && \
		$(STRESS_DIR)/source.sh "$$src" $(BUILD)/stress/linux
	@echo $(BUILD)/stress/linux >$@

$(STRESS_IMAGES): $(BUILD)/stress/%/bzImage: $(BUILD)/stress/source $(BUILD)/policies.config \
		$(STRESS_DIR)/common.config $(STRESS_DIR)/%.config
	@mkdir -p $(@D)
	@echo "Building the $* kernel in $(@D) (log: $(@D)/build.log)"
	@$(T)/kernel.sh build "$$(cat $<)" $(@D) $(filter %.config,$^)
	@touch $@

$(STRESS_INITRD): $(BUILD)/stress/init $(BUILD)/guest/mkcpio
	@$(BUILD)/guest/mkcpio $< $@

stress-parts: deps $(STRESS_IMAGES) $(STRESS_INITRD) $(JUDGE)

stress: stress-parts
	@status=0; for kernel in $(STRESS_KERNELS); do \
		echo "Stressing the $$kernel kernel for $(DURATION) s (console: $(BUILD)/stress/run-$$kernel/console)"; \
		$(T)/stress.sh $(BUILD) $$kernel '$(DURATION)' '$(SWITCHES)' || status=1; \
	done; exit $$status
