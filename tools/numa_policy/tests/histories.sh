#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# histories.sh BUILDS HISTORIES [--own]: play the histories with every build of the player; then texts
# that contradict themselves, each of which must be refused by name.
#
# --own: somebody's own file. It need not say something about every policy, and the player itself is
# not tested.
set -eu

builds=$(readlink -f "$1") histories=$2 own=${3-}
tests=$(readlink -f "$(dirname "$0")")
. "$tests/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- the histories ----

player=$builds/w4
if [ ! -r "$histories" ]; then
	echo "histories.sh: HISTORIES=$histories: cannot be read" >&2
	exit 2
fi

: >"$work/unfit"
: >"$work/failures"
: >"$work/played"
n=0
for build in "$builds"/*; do
	name=${build##*/}
	n=$((n + 1))
	status=0
	# shellcheck disable=SC2046
	"$tests/exec.sh" "$build" $([ -n "$own" ] || echo --every) "$histories" >"$work/out" 2>"$work/err" || status=$?
	if [ "$status" -eq 2 ]; then
		sed 's/^numa-policy: //' "$work/err" >&2
		echo "0 passed, 1 failed"
		exit 1
	fi
	sed -n 's/^# history \([a-z0-9_]*\) is for .*/\1/p' "$work/out" | sort -u >>"$work/unfit"
	p=$(grep -c '^ok ' "$work/out") || true
	f=$(grep -c '^not ok ' "$work/out") || true
	[ "$status" -lt 2 ] || echo "the player ends with status $status: $(head -n 3 "$work/err")" >>"$work/out"
	sed -n "s/^not ok [0-9]* - \(.*\)/\1\t$name/p; s/^\(the player ends.*\)/\1\t$name/p" \
		"$work/out" >>"$work/failures"
	grep '^ok .*, history ' "$work/out" >>"$work/played" || true
	passed=$((passed + p))
	failed=$((failed + f))
	[ "$status" -eq 0 ] || [ "$f" -gt 0 ] || failed=$((failed + 1))
	echo "# $name: $p passed, $f failed"
done

# A failure once, with the builds in which it shows.
sort "$work/failures" | awk -F'\t' '
	$1 != last { if (NR > 1) print ""; printf "not ok: %s (in", last = $1 }
	{ printf " %s", $2 }
	END { if (NR) print "" }' | sed '/^not ok/s/$/)/'
cat "$work/failures" >>"$work/played"
check "histories were played" test -s "$work/played"
if [ -n "$own" ]; then
	finish
	exit
fi
never=$(sort "$work/unfit" | uniq -c | awk -v n="$n" '$1 == n { print $2 }')
check "every history fits some build${never:+, but not: $never}" test -z "$never"

# ---- bad ones ----

# bad MESSAGE, the text on standard input, not by a pipe: it must be refused with this message
bad() {
	cat >"$work/text"
	refused "$1"
}

refused() {
	status=0
	"$player" "$work/text" >"$work/out" 2>"$work/err" || status=$?
	if [ "$status" -eq 2 ] && grep -qF -- "$1" "$work/err"; then
		passed=$((passed + 1))
	else
		check "refused: $1; but status $status and: $(cat "$work/err")" false
	fi
}

# event MESSAGE LINE...: the lines make up the events of a history
event() {
	message=$1
	shift
	{
		echo 'answers | always seq_delta'
		echo 'history h'
		printf '\t%s\n' "$@"
	} >"$work/text"
	refused "$message"
}

good='1.000 pass A | always initial'

event ':3: history h: access before there is a VMA' '0.000 access A' '0.500 map' "$good"
event ':3: history h: pass before there is a VMA' "$good"
event ':3: history h: touch before there is a VMA' '0.000 touch A' '0.500 map' "$good"
event ':3: history h: split before there is a VMA' '0.000 split' '0.500 map' "$good"
event ':3: history h: fork before there is a VMA' '0.000 fork' '0.500 map' "$good"
event ':3: history h: unmap before there is a VMA' '0.000 unmap' '0.500 map' "$good"
event ':5: history h: pass before there is a VMA' '0.000 map' '0.500 unmap' "$good"
event ':4: history h: map of a VMA that is there already' '0.000 map' '0.500 map' "$good"
event ':5: history h: time goes backwards, from 1.000 to 0.999' '0.000 map' "$good" \
	'0.999 access A'
event 'history h: unknown event "acces"' '0.000 map' '0.500 acces A' "$good"
event 'history h: unknown reason "initail"; there are: - ? skip always initial initial_mm pid partial seq_delta hot shared forced' \
	'0.000 map' '1.000 pass A | always initail'
event 'history h: unknown reason ""' '0.000 map' '1.000 pass A | always initial/3/'
event 'answer "pid/2": must be ANSWER, ANSWER/N or ANSWER/N/ELSE' '0.000 map' '1.000 pass A | always pid/2'
event 'answer "pid/9": must be' '0.000 map' '1.000 pass A | always pid/9'
event 'answer "pid/3/-/-": must be' '0.000 map' '1.000 pass A | always pid/3/-/-'
event 'history h: more answers than policies, which are 2' '0.000 map' \
	'1.000 pass A | always initial initial'
event 'history h: 0 answers for 2 policies' '0.000 map' '1.000 pass A |'
event 'history h: a pass takes no hinting fault' '0.000 map' '1.000 pass A | fault'
event 'what comes of a touch is "fault" or "-"' '0.000 map' '0.500 touch A | pid' "$good"
event 'a pass without "|" and what the policies must answer' '0.000 map' '1.000 pass A'
event 'history h: pass by "I": a task is one of ABCDEFGHabcdXYLM' '0.000 map' '1.000 pass I | always -'
event 'history h: pass by "|": a task is one of' '0.000 map' '1.000 pass | always -'
event 'history h: access by "AB": a task is one of' '0.000 map' '0.500 access AB' "$good"
event 'history h: access by "": a task is one of' '0.000 map' '0.500 access' "$good"
event '"B" says nothing about access' '0.000 map' '0.500 access A B' "$good"
event '"|" says nothing about access' '0.000 map' '0.500 access A | fault' "$good"
event 'a pass is "alone", "again", "fails" or "stops"' '0.000 map' '1.000 pass A twice | always -'
event 'a pass stops before, inside, at-end or behind, not "outside"' '0.000 map' \
	'1.000 pass A stops outside | always -'
event 'a pass stops before, inside, at-end or behind, not ""' '0.000 map' '1.000 pass A stops'
event 'history h: "1.0": neither a setting nor a time' '0.000 map' '1.0 pass A | always -'
event 'history h: "-1.000": neither a setting nor a time' '-1.000 map' "$good"
event 'history h: "strat": neither a setting nor a time' 'strat seq 5' '0.000 map' "$good"
event 'history h: nothing happens at 1.000' '0.000 map' '1.000'
event 'history h: threads "0": must be 1 or more' '0.000 map' '0.500 threads 0' "$good"
event 'history h: threads "": must be 1 or more' '0.000 map' '0.500 threads' "$good"
event 'history h: seq "2147483648": must be N or +N, an int' '0.000 map' '0.500 seq 2147483648' "$good"
event 'history h: seq "-2147483649": must be N or +N' '0.000 map' '0.500 seq -2147483649' "$good"
event 'history h: seq needs N or +N' '0.000 map' '0.500 seq' "$good"
event 'only windows "1": must be N or N..M, from 2 to 8' 'only windows 1' '0.000 map' "$good"
event 'only windows "4..9": must be' 'only windows 4..9' '0.000 map' "$good"
event 'only windows "5..4": must be' 'only windows 5..4' '0.000 map' "$good"
event '"only buckets 16": must be windows N..M, buckets 32 or 64' 'only buckets 16' '0.000 map' "$good"
event '"only threshold 33": must be' 'only threshold 33' '0.000 map' "$good"
event '"only" needs two words more' 'only windows' '0.000 map' "$good"
event '"start" needs seq, jiffies or threads, and a number' 'start seq' '0.000 map' "$good"
event '"start" needs seq, jiffies or threads, and a number' 'start' '0.000 map' "$good"
event '"start threads 0": must be' 'start threads 0' '0.000 map' "$good"
event '"6": nothing may follow here' 'start seq 5 6' '0.000 map' "$good"
event 'history h: there is no pass in it' '0.000 map' '0.500 access A'
event 'history h: fork cannot be acted out in a guest' 'guest' '0.000 map' '0.500 fork' "$good"
event 'history h: seq cannot be acted out in a guest' 'guest' '0.000 map' '0.500 seq 5' "$good"
event 'history h: the pass begins inside or behind the VMA, and cannot stop before it' '0.000 map' \
	'1.000 pass A stops inside | -' '1.500 pass A stops before | unmet'
event 'history h: fails, but the VMA has its state already' '0.000 map' "$good" \
	'2.000 pass A fails | initial'
event 'history h: "stops" is said twice' '0.000 map' '1.000 pass A stops inside stops behind | -'
event 'history h: "alone" is said twice' '0.000 map' '1.000 pass A alone alone | -'
event 'history h: only windows is said twice' 'only windows 2' 'only windows 4' '0.000 map' "$good"
event 'history h: start seq is said twice' 'start seq 2' 'start seq 2' '0.000 map' "$good"
event 'history h: guest is said twice' 'guest' 'guest' '0.000 map' "$good"
event '"start" needs seq, jiffies or threads, and a number' 'start jiffies half' '0.000 map' "$good"
event 'such a start cannot be acted out in a guest' 'guest' 'start seq 5' '0.000 map' "$good"
event 'such a pass cannot be acted out in a guest' 'guest' '0.000 map' '1.000 pass A fails | no_state'

{
	printf 'answers | always\nhistory h\n\t0.000 map\n'
	seq 64 | sed 's/.*/\t0.500 access A/'
} >"$work/text"
refused 'history h: more than 64 events'

bad ':1: unknown policy "alway"; there are: always mm_seq vma_seq' <<'END'
answers | alway
END
bad 'policy mm_seq has two columns' <<'END'
answers | mm_seq always mm_seq
END
bad ':1: no policy answers' <<'END'
answers |
END
bad 'after "answers" come a "|" and the policies' <<'END'
answers always
END
bad 'history h: an "answers" line must come first' <<'END'
history h
END
bad 'a history needs a name, one word of at most 63 letters' <<'END'
answers | always
history two words
END
bad 'history "Upper": a name is of a-z, 0-9 and _' <<'END'
answers | always
history Upper
END
bad ':5: history h: there is another of this name' <<'END'
answers | always
history h
	0.000 map
	1.000 pass A | always
history h
END
bad '"0.000" before any history' <<'END'
answers | always
0.000 map
END
bad 'history h: there is no pass in it' <<'END'
answers | always
history h
END
printf 'answers | always\n\0\nhistory h\n' >"$work/text"
refused 'has a NUL in it'
printf 'answers | always\nhistory h' >"$work/text"
refused 'the last line has no end'

# What no history says anything about is a failure, not a success.
printf 'answers | always\nhistory h\n\t0.000 map\n\t1.000 pass A | always\n' >"$work/text"
"$player" --every "$work/text" >"$work/out" 2>&1 || true
check "policies without a history fail" grep -q '^not ok .* seq_delta: no history says what it must answer' \
	"$work/out"
printf 'answers | seq_delta\nhistory h\n\t0.000 map\n\t1.000 pass A | pid\n' >"$work/text"
"$player" "$work/text" >"$work/out" 2>&1 || true
check "a failure names policy, history, line, event and both reasons" grep -qF \
	'seq_delta, history h, line 4, event "1.000 pass A": expected pid, got initial' "$work/out"

finish
