# SPDX-License-Identifier: GPL-2.0
#
# awk -v pass=SECONDS -f windows.awk TRACE: whether the library's two events are all that happens to
# VMAs' windows. TRACE is what the kernel's trace file shows, passes of a mm are at least SECONDS apart.
#
# Between two decisions on a VMA come accesses, and the windows move a number of times that no event
# tells. What the second decision shows must follow from the first by the accesses, in their order,
# with some number of moves among them: at most one in each round over the VMAs that can have been, and
# a pass has two rounds at most. Prints what does not follow; at the end, how many decisions and accesses
# were checked, and how often the windows had moved 0, 1, 2... times, or oftener if that explains it, too.

# The bits of a hexadecimal number, as keys of bits[]; returns how many there are.
function decode(hex, bits,	i, k, n, digit) {
	split("", bits)
	sub(/^0x/, "", hex)
	for (i = length(hex); i; i--) {
		digit = index("0123456789abcdef", substr(hex, i, 1)) - 1
		for (k = 0; k < 4; k++) {
			if (digit % 2) {
				bits[(length(hex) - i) * 4 + k] = 1
				n++
			}
			digit = int(digit / 2)
		}
	}
	return n + 0
}

function field(name) {
	if (!match($0, " " name "=[^ ]*"))
		return ""
	return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2)
}

# Whether old[1..n], newest first, becomes new[1..n] by the accesses a[1..m] and k moves.
function follows(k,	i, j, s, w, need, left, base, want, reach, got) {
	for (i = 2; i + k <= n; i++)
		if (new[i + k] != old[i])
			return 0
	# reach[s, i]: the accesses up to i can be in the windows up to the sth, the oldest first
	reach[-1, 0] = 1
	for (s = 0; s <= k; s++) {
		w = k + 1 - s
		split("", base)
		split("", want)
		need = w <= n ? decode(new[w], want) : 0
		if (!s && w <= n) {
			decode(old[1], base)
			for (i in base) {
				if (!(i in want))
					return 0
				need--
			}
		}
		for (i = 0; i <= m; i++) {
			if (!((s - 1, i) in reach))
				continue
			split("", got)
			left = need
			for (j = i; ; j++) {
				if (j > i && w <= n) {
					if (!(a[j] in want))
						break
					if (!(a[j] in base) && !(a[j] in got))
						left--
					got[a[j]] = 1
				}
				if (left <= 0)
					reach[s, j] = 1
				if (j == m)
					break
			}
		}
	}
	return (k, m) in reach
}

/numa_policy_access: / {
	v = field("mm") " " field("vma")
	bit = field("bit")
	all[v]++
	# More of one bit in a row than there are windows, with a rest that is forgotten, say no more.
	run[v] = bit == last[v] ? run[v] + 1 : 1
	last[v] = bit
	if (run[v] <= n + 1 || !n)
		accesses[v] = accesses[v] " " bit
}

/numa_policy_decide: / {
	v = field("mm") " " field("vma")
	match($0, /[0-9]+\.[0-9]+: /)
	now = substr($0, RSTART, RLENGTH - 2) + 0
	list = field("windows")
	gsub(/[{}]/, "", list)
	n = split(list, new, ",")
	if (v in shown && start[v] == field("start_seq")) {
		split(shown[v], old, ",")
		m = split(accesses[v], a, " ")
		most = 2 * (int((now - at[v]) / pass) + 1) + 1
		for (k = 0; k <= most && !follows(k); k++)
			;
		if (k > most)
			print "by no moves up to " most ", accesses" accesses[v] ", from {" shown[v] "}: " $0
		else
			moves[k]++
		decisions++
		checked += all[v]
	}
	shown[v] = list
	start[v] = field("start_seq")
	at[v] = now
	accesses[v] = last[v] = ""
	all[v] = 0
}

END {
	printf "checked %d %d moves", decisions, checked
	for (k = 0; k < 10; k++)
		printf " %d", moves[k]
	print ""
}
