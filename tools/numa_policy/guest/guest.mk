# SPDX-License-Identifier: GPL-2.0
#
# Builds the guest's program and its initial file system:
#   $(BUILD)/guest/init $(BUILD)/guest/initramfs.cpio
# To be included from the top of the repository, with BUILD set, POLICY_NAMES to the policies, and
# POLICY_CPPFLAGS to what their sources need.

GUEST_DIR := tools/numa_policy/guest
GUEST_CC ?= gcc
GUEST_CFLAGS ?= -D_GNU_SOURCE -std=gnu11 -O2 -g -Wall -Wextra -Werror
GUEST_SRCS := $(addprefix $(GUEST_DIR)/,init.c records.c locality.c work.c \
	trace.c sleeper.c late_vma.c threadlocal.c numa01.c numa02.c bigvma.c forks.c \
	foreign.c rules.c acting.c traffic.c known.c) \
	tools/numa_policy/workloads.c tools/numa_policy/util.c
GUEST_HDRS := $(addprefix $(GUEST_DIR)/,guest.h records.h locality.h acting.h foreign.h traffic.h) \
	tools/numa_policy/workloads.h tools/numa_policy/util.h tools/numa_policy/traffic/marks.h

# The histories, what reads them, and the policies' own sources.
GUEST_HISTORIES := lib/kunit/numa_policy/histories
GUEST_POLICY_SRCS := $(GUEST_DIR)/histories.c lib/kunit/numa_policy/history.c \
	$(POLICY_NAMES:%=kernel/sched/numa_policy/%.c)
GUEST_POLICY_HDRS := lib/kunit/numa_policy/history.h \
	$(wildcard kernel/sched/numa_policy/*.h include/linux/numa_policy*.h) \
	$(wildcard tools/numa_policy/include/linux/*.h)
GUEST_POLICY_OBJS := $(addprefix $(BUILD)/guest/,$(notdir $(GUEST_POLICY_SRCS:.c=.o)))

$(GUEST_POLICY_OBJS): $(GUEST_POLICY_SRCS) $(GUEST_HDRS) $(GUEST_POLICY_HDRS) $(GUEST_DIR)/guest.mk \
		$(BUILD)/np-windows
	@mkdir -p $(@D)
	@echo "  CC      guest $(@F)"
	@$(GUEST_CC) $(GUEST_CFLAGS) -Wno-sign-compare -Wno-unused-parameter $(POLICY_CPPFLAGS) \
		-c -o $@ $(filter %/$(basename $(@F)).c,$(GUEST_POLICY_SRCS))

$(BUILD)/guest/init: $(GUEST_SRCS) $(GUEST_POLICY_OBJS) $(GUEST_HDRS) $(GUEST_DIR)/guest.mk
	@mkdir -p $(@D)
	@echo "  CC      guest $(@F)"
	@$(GUEST_CC) -static -s $(GUEST_CFLAGS) -o $@ $(GUEST_SRCS) $(GUEST_POLICY_OBJS) -pthread

$(BUILD)/guest/mkcpio: $(GUEST_DIR)/mkcpio.c tools/numa_policy/util.c tools/numa_policy/util.h
	@mkdir -p $(@D)
	@echo "  CC      guest $(@F)"
	@$(CC) $(GUEST_CFLAGS) -o $@ $(GUEST_DIR)/mkcpio.c tools/numa_policy/util.c

$(BUILD)/guest/initramfs.cpio: $(BUILD)/guest/init $(BUILD)/guest/mkcpio $(GUEST_HISTORIES)
	@$(BUILD)/guest/mkcpio $(BUILD)/guest/init $@ $(GUEST_HISTORIES)
