#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# report-fixture.sh REPS: a results.json of made-up figures with everything that a report can show.
#
# Seven policies, two workloads. The first has samples, phases, decisions and traffic, the second
# only samples; some cells failed, with reasons that are no harmless text.
set -eu

awk -v reps="${1:-3}" '
function noise(x) { seed = (seed * 16807) % 2147483647; return x * seed / 2147483647 }

function bulk(w, p, t90,  t, n, v, local, sep, why, r) {
	printf "\"records\":["
	sep = ""
	for (n = 0; n < 4; n++) {
		printf "%s{\"type\":\"phase\",\"t_ms\":%d,\"name\":\"%s\"}", sep, n * 20000 + noise(900), phase[n]
		sep = ","
	}
	for (t = 0; t <= 120; t++) {
		local = t < 40 ? 0.95 : t < 60 ? 0.1 : 0.1 + 0.9 * (1 - exp(-(t - 60) / (t90 + noise(3))))
		printf ",{\"type\":\"sample\",\"t_ms\":%d,\"phase\":\"work\",\"pages\":4096,\"local\":%d}",
			t * 1000 + noise(200), 4096 * local
	}
	for (t = 1; w == 1 && t <= 120; t += t < 20 ? 1 : 3)
		for (v = 0; v < 24; v++) {
			r = noise(1)
			why = t < 3 ? "initial" : p == 1 ? "always" : v < 4 ? "pid" : \
			      p == 6 && t % 4 == v % 4 ? "seq_delta" : p == 7 && r < 0.2 ? "hot" : \
			      p == 7 && r < 0.3 ? "shared" : r < 0.03 ? "partial" : "skip"
			printf ",{\"type\":\"decide\",\"t_ms\":%d,\"vma\":\"%s\",\"start\":\"%x\",\"policy\":\"%s\",\"reason\":\"%s\",\"pid\":%d,\"seq\":%d,\"start_seq\":0,\"prev_seq\":%d,\"threads\":1,\"offset\":\"0\",\"windows\":[\"0\",\"1\"]}",
				t * 1000 + v, v == 22 ? "/usr/lib/x86_64-linux-gnu/libc.so.6 <text>" : "vma" v, 139637976727552 + v * 16777216, policy[p], why, 100, t, t - 1
		}
	printf "]"
	if (w != 1)
		return
	printf ",\"traffic\":{\"nodes\":[0,1],\"vcpu_node\":[0,0,1,1],\"intervals\":["
	for (t = 1; t <= 120; t++) {
		printf "%s{\"t_ms\":%d", (t > 1 ? "," : ""), t * 1000
		for (n = 0; n < 3; n++) {
			printf ",\"%s\":[", n == 0 ? "loads" : n == 1 ? "stores" : "bytes"
			for (v = 0; v < 4; v++)
				printf "%s[%d,%d]", v ? "," : "",
					(v < 2 ? 4e6 : 4e5 + 1e6 * exp(-t / t90)) * (n == 2 ? 8 : 1) + noise(1e5),
					(v < 2 ? 5e5 : 3e6) * (n == 2 ? 8 : 1) + noise(1e5)
			printf "]"
		}
		printf "}"
	}
	printf "]}"
}

function cell(w, p, r,  t90) {
	t90 = 5 + 4 * ((p * 3) % 7) + noise(4)
	printf "%s\n    {\"workload\":\"%s\",\"policy\":\"%s\",\"rep\":%d,\"seed\":%d,", cells++ ? "," : "",
		workload[w], policy[p], r, r * 11
	if (p == 3 && r == 1) {
		printf "\"status\":\"failed\",\"reason\":\"<script>fetch(\\\"http://127.0.0.1/x\\\")</script> & \\\"quoted\\\" <img src=x>\","
		printf "\"host_s\":3.5,\"guest_s\":4,\"begin\":null,\"metrics\":null,\"records\":null}"
		return
	}
	printf "\"status\":\"ok\",\"reason\":null,\"host_s\":3.5,\"guest_s\":120.5,\"begin\":null,"
	printf "\"metrics\":{\"pte_updates\":%d,\"hint_faults\":%d,\"hint_faults_local\":%d,\"pages_migrated\":%d,\"local_mean\":%.4f,\"local_end\":%.4f,%s\"t90_ms\":%s,\"system_ms\":%d,\"user_ms\":%d,\"elapsed_ms\":%d},",
		90000 / t90 + noise(600), 40000 / t90 + noise(500), noise(900), 1500 + noise(20),
		0.9 - t90 / 80, 0.99, w == 1 ? sprintf("\"remote_page_s\":%.1f,", 4096 * t90 + noise(9000)) : "",
		(t90 > 20 ? "null" : int(t90 * 1000)), 4000 + noise(300), 90000 + noise(99), 120000 + noise(500)
	bulk(w, p, t90)
	printf "}"
}

BEGIN {
	seed = 42
	np = split("always mm_seq vma_seq pids_active pid_history seq_delta hot_shared", policy, " ")
	nw = split("sleeper late_vma", workload, " ")
	split("settle away return", phase, " ")
	phase[0] = "first_touch"
	printf "{\n  \"schema\":\"numa-policy-results\",\"version\":1,\"tool\":{\"name\":\"numa-policy\",\"version\":\"0\"},"
	printf "\"command\":[\"compare\"],\"reproduce\":\"numa-policy compare --policies always,mm_seq,vma_seq,pids_active,pid_history,seq_delta,hot_shared --workloads sleeper,late_vma --reps %d --seed 42 --set sleeper.vmas=24\",", reps
	printf "\"started\":\"2026-11-30T12:00:00Z\",\"ended\":\"2026-11-30T12:10:00Z\",\"interrupted\":false,\"host_cpus\":2,"
	printf "\"kernel\":{\"release\":\"6.12.0-fixture\",\"config_sha256\":\"%064d\",\"library_sha256\":null,\"config\":[\"CONFIG_NUMA_BALANCING=y\"]},", 7
	printf "\"qemu\":{\"version\":\"7.2.0\",\"accel\":\"tcg\"},\"topology\":{\"text\":\"2x2\",\"nodes\":[{\"id\":0,\"cpus\":[0,1],\"mem_mb\":256,\"distance\":[10,20]},{\"id\":1,\"cpus\":[2,3],\"mem_mb\":256,\"distance\":[20,10]}]},"
	printf "\"base\":\"pids_active\",\"policies\":["
	for (p = 1; p <= np; p++)
		printf "%s\"%s\"", (p > 1 ? "," : ""), policy[p]
	printf "],\"workloads\":["
	for (w = 1; w <= nw; w++)
		printf "%s{\"name\":\"%s\",\"shift\":4,\"limit_s\":200,\"params\":{\"vmas\":24}}", (w > 1 ? "," : ""), workload[w]
	printf "],\"tunables\":{},\"reps\":%d,\"seed\":42,\"seeds\":[", reps
	for (r = 1; r <= reps; r++)
		printf "%s%d", (r > 1 ? "," : ""), r * 11
	printf "],\"sample_ms\":1000,\"jobs\":2,\"timeout_s\":600,\"stall_s\":120,\n  \"cells\": ["
	for (w = 1; w <= nw; w++)
		for (p = 1; p <= np; p++)
			for (r = 1; r <= reps; r++)
				cell(w, p, r)
	printf "\n  ]\n}\n"
}'
