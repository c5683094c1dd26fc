# SPDX-License-Identifier: GPL-2.0
#
# "make check": the kernel's own checks, other compilers, other configurations, other architectures.

# What the quick form needs, and what all of it does.
QUICK_PACKAGES := git perl sparse unifdef
CHECK_PACKAGES := $(QUICK_PACKAGES) clang coccinelle gcc-aarch64-linux-gnu \
		  gcc-powerpc64le-linux-gnu gcc-riscv64-linux-gnu gcc-s390x-linux-gnu lld llvm \
		  libc6-dev-arm64-cross libssl-dev \
		  ocaml-findlib ocaml-nox python3-sphinx qemu-system-arm shellcheck

QUICK    ?=
RANDOM   ?= 50
SKIP     ?=

.PHONY: check check-deps

check-deps: deps
	@$(T)/deps.sh $(if $(filter-out 0,$(QUICK)),$(QUICK_PACKAGES),$(CHECK_PACKAGES))

check: check-deps $(TOOL)
	@src=$$($(T)/kernel.sh source $(TOOL) $(BUILD) "$(KSRC)") && \
		QUICK='$(QUICK)' COUNT='$(RANDOM)' SEED='$(SEED)' SKIP='$(SKIP)' \
		$(T)/check.sh $(CURDIR) $(TOOL) "$$src" $(BUILD)/check
