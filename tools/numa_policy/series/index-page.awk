# SPDX-License-Identifier: GPL-2.0
#
# index-page.awk: put our page into Documentation/scheduler/index.rst, after the last of sched-*; fails
# where there is none.
/^ +sched-/ && seen { last = NR }
/toctree::/ { seen = 1 }
{ lines[NR] = $0 }
END {
	if (!last)
		exit 1
	match(lines[last], /^ */)
	for (i = 1; i <= NR; i++) {
		print lines[i]
		if (i == last)
			print substr(lines[last], 1, RLENGTH) "numa-scan-policy"
	}
}
