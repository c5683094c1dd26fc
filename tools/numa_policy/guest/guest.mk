# SPDX-License-Identifier: GPL-2.0
#
# Builds the guest's program and its initial file system:
#   $(BUILD)/guest/init $(BUILD)/guest/initramfs.cpio
# To be included from the top of the repository, with BUILD set.

GUEST_DIR := tools/numa_policy/guest
GUEST_CC ?= gcc
GUEST_CFLAGS ?= -D_GNU_SOURCE -std=gnu11 -O2 -g -Wall -Wextra -Werror
GUEST_SRCS := $(addprefix $(GUEST_DIR)/,init.c records.c locality.c work.c \
	trace.c sleeper.c late_vma.c threadlocal.c rules.c) \
	tools/numa_policy/workloads.c tools/numa_policy/util.c
GUEST_HDRS := $(addprefix $(GUEST_DIR)/,guest.h records.h locality.h) \
	tools/numa_policy/workloads.h tools/numa_policy/util.h

$(BUILD)/guest/init: $(GUEST_SRCS) $(GUEST_HDRS) $(GUEST_DIR)/guest.mk
	@mkdir -p $(@D)
	$(GUEST_CC) -static -s $(GUEST_CFLAGS) -o $@ $(GUEST_SRCS) -pthread

$(BUILD)/guest/mkcpio: $(GUEST_DIR)/mkcpio.c tools/numa_policy/util.c tools/numa_policy/util.h
	@mkdir -p $(@D)
	$(GUEST_CC) $(GUEST_CFLAGS) -o $@ $(GUEST_DIR)/mkcpio.c tools/numa_policy/util.c

$(BUILD)/guest/initramfs.cpio: $(BUILD)/guest/init $(BUILD)/guest/mkcpio
	$(BUILD)/guest/mkcpio $(BUILD)/guest/init $@
