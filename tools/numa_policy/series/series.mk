# SPDX-License-Identifier: GPL-2.0
#
# "make patches": the library as a series for the mailing list, made for KSRC. To be included behind the
# rules of the tool and of the guest kernel.

RESULTS  ?=
CHECK    ?=
PATCHES  ?= $(BUILD)/patches

.PHONY: patches patches-deps

patches-deps: deps
	@$(T)/deps.sh git unifdef

# The series is made of the files it edits; what is built after each patch is a whole tree.
patches: patches-deps $(TOOL) $(if $(CHECK),$(INITRD)) $(if $(KSRC),,$(BUILD)/test/pristine)
	@$(T)/series.sh $(TOOL) $(CURDIR) '$(or $(KSRC),$(BUILD)/test/pristine)' '$(PATCHES)' \
		$(BUILD)/series '$(RESULTS)'
	@$(if $(CHECK),src='$(KSRC)'; [ "$$src" ] || { src=$(BUILD)/plain-source && \
		$(T)/kernel.sh plain $(TOOL) "$$($(T)/kernel.sh source $(TOOL) $(BUILD) '')" "$$src"; } && \
		$(T)/series-check.sh "$$src" '$(PATCHES)' $(BUILD)/series-check $(TOOL) $(INITRD),true)
