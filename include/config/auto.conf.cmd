autoconfig := include/config/auto.conf

deps_config := \
	Kconfig \
	kernel/sched/numa_policy/Kconfig \

$(autoconfig): $(deps_config)
$(deps_config): ;
