# SPDX-License-Identifier: GPL-2.0
#
# "make deb": packages of the patched kernel, with every policy, on top of a distribution's
# configuration. To be included behind the guest kernel's rules.

CONFIG   ?=
DEBUG    ?=
$(if $(filter 0 1,$(words $(CONFIG))),,$(error CONFIG="$(CONFIG)": a path with blanks does not work here))
$(if $(filter-out 0 1,$(DEBUG)),$(error DEBUG="$(DEBUG)": must be 1, to keep debug information, or 0))

# A kernel's own make would take these for its own.
unexport CONFIG DEBUG

DEB_DIR  := $(BUILD)/deb
DEB_PACKAGES := debhelper dpkg-dev gzip kmod libssl-dev openssl $(if $(filter 1,$(DEBUG)),pahole) \
		$(if $(CONFIG)$(wildcard /boot/config-$(shell uname -r)),,linux-config-6.12)

.PHONY: deb deb-deps

deb-deps: deps
	@$(T)/deps.sh $(DEB_PACKAGES)

deb: deb-deps $(TOOL) $(OBJ)/np-ksrc $(BUILD)/policies.config
	@mkdir -p $(DEB_DIR)
	@$(T)/deb.sh choose "$(CONFIG)" >$(DEB_DIR)/chosen
	@$(T)/kernel.sh source $(TOOL) $(BUILD) "$(KSRC)" >$(DEB_DIR)/source
	@DEBUG='$(DEBUG)' $(T)/deb.sh build "$$(cat $(DEB_DIR)/source)" $(DEB_DIR)/object \
		$(BUILD)/policies.config "$$(cat $(DEB_DIR)/chosen)"
