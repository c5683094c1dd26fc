#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# browser.sh NUMA_POLICY WORKDIR: the html report, laid out by a real browser.
#
# Frames of 1280, 720 (the least with wide plots) and 400 pixels hold copies of the report that end
# in a script; what the script finds is written into the page around them and dumped. Copies that
# were spoilt on purpose show that the script notices.
set -eu

[ $# = 2 ] || { echo "usage: $0 NUMA_POLICY WORKDIR" >&2; exit 2; }
tests=$(dirname "$(readlink -f "$0")")
np=$(readlink -f "$1")
mkdir -p "$2"
work=$(mktemp -d "$(readlink -f "$2")/browser.XXXXXX")
browser=
trap 'stop_browser; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
. "$tests/lib.sh"

stop_browser() {
	[ -z "$browser" ] || kill -KILL "-$browser" 2>/dev/null || true
	browser=
}

# chromium_run NAME SCHEME ARGUMENT...: a browser of our own, for at most five minutes, in a session
# of its own so that none of its processes outlives it
chromium_run() {
	run=$1 preferred=0
	[ "$2" = dark ] || preferred=1
	shift 2
	sandbox=
	[ "$(id -u)" -ne 0 ] || sandbox=--no-sandbox
	# shellcheck disable=SC2086
	HOME=$work XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache \
		setsid timeout -k 5 300 chromium --headless $sandbox --disable-gpu \
		--user-data-dir="$work/profile" --no-first-run --disable-background-networking \
		--disable-component-update --disable-dev-shm-usage --hide-scrollbars \
		--host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr \
		--blink-settings=preferredColorScheme=$preferred "$@" \
		>"$work/$run.out" 2>"$work/$run.err" &
	browser=$!
	status=0
	wait "$browser" || status=$?
	stop_browser
	rm -rf "$work/profile"
	return "$status"
}

# frame NAME FILE WIDTH SCHEME PLOTS: a frame with a copy of the report
frame() {
	printf '<iframe src="%s?name=%s&amp;width=%s&amp;scheme=%s&amp;plots=%s" style="%s"></iframe>\n' \
		"$2" "$1" "$3" "$4" "$5" "border:0;width:$3px;height:900px"
}

# page FRAME...: the page around frames, which writes down what they find
page() {
	cat <<'EOF'
<!DOCTYPE html>
<html><head><meta charset="utf-8"></head><body><pre id="found"></pre>
<script>
addEventListener("message", (e) => {
	for (const line of e.data.lines)
		document.getElementById("found").append(e.data.name + "|" + line + "\n");
});
</script>
EOF
	printf '%s\n' "$@"
	echo '</body></html>'
}

# look NAME SCHEME FRAME...: what the frames find, as lines NAME|ok or not ok|WHAT|WHY
look() {
	name=$1 look_scheme=$2
	shift 2
	page "$@" >"$work/$name.html"
	chromium_run "$name" "$look_scheme" --virtual-time-budget=60000 --window-size=1400,1000 \
		--dump-dom "file://$work/$name.html" || return 1
	sed -n '/<pre id="found">/,/<\/pre>/{s/.*<pre id="found">//;s/<\/pre>.*//;p}' \
		"$work/$name.out" | grep '|' >"$work/$name.found"
}

# report checks that the frames made; a page that says nothing fails
judge() {
	checks=$(grep -c "^$1|" "$work/$2.found" || true)
	check "$1: the page was looked at" [ "$checks" -ge 19 ]
	while IFS='|' read -r from verdict what why; do
		[ "$from" = "$1" ] || continue
		[ "$verdict" = ok ] || echo "# $1: $what: $why"
		check "$1: $what" [ "$verdict" = ok ]
	done <"$work/$2.found"
}

# noticed NAME WHAT: the check that must fail in a spoilt copy does
noticed() {
	check "noticed: $1" grep -q "^$1|not ok|$2" "$work/spoilt.found"
}

# spoil NAME SED: a spoilt copy and its frame at 400 pixels
spoil() {
	sed "$2" "$work/looked.html" >"$work/$1.html"
	! cmp -s "$work/looked.html" "$work/$1.html" || echo "# $1 changes nothing"
	frame "$1" "$1.html" 400 light 5
}

if ! command -v chromium >/dev/null; then
	echo "# skip: there is no chromium"
	check "chromium (Debian: chromium) is there" false
	finish
	exit
fi

# ---- the report ----

mkdir "$work/results"
"$tests/report-fixture.sh" 3 >"$work/results/results.json"
check "the report is made" \
	"$np" report "$work/results" --format html --out "$work/report.html"
if [ ! -s "$work/report.html" ]; then
	finish
	exit
fi
check "there are five plots" \
	[ "$(grep -c 'class="plot wide"' "$work/report.html")" -eq 5 ]
refuse "it has no script" grep -qi '<script\|onload=\|onerror=' "$work/report.html"
refuse "it names no other resource" sh -c \
	"sed 's|xmlns=\"http://www.w3.org/2000/svg\"||; s/&lt;.*&gt;//' '$work/report.html' |
	grep -qiE '(src|href)=.?(https?:|//|file:)|url\(|@import'"
check "text from results is shown as text" grep -qF '&lt;script&gt;fetch(' "$work/report.html"
check "it says which runs failed" grep -q 'Failed cells: 2 of 42' "$work/report.html"

# As it is, alone: the console must stay empty.
if chromium_run plain light --screenshot="$work/plain.png" --window-size=1280,1000 \
	"file://$work/report.html"; then
	check "a browser draws it" [ -s "$work/plain.png" ]
else
	check "a browser draws it" false
	tail -n 5 "$work/plain.err" | sed 's/^/# /'
fi
refuse "nothing is on the console" grep 'CONSOLE' "$work/plain.err"

{
	sed 's|</body>.*||; s|</html>.*||' "$work/report.html"
	echo '<script>'
	cat "$tests/browser-checks.js"
	echo '</script></body></html>'
} >"$work/looked.html"

for scheme in light dark; do
	if ! look "$scheme" "$scheme" "$(frame "1280-$scheme" looked.html 1280 "$scheme" 5)" \
		"$(frame "720-$scheme" looked.html 720 "$scheme" 5)" \
		"$(frame "400-$scheme" looked.html 400 "$scheme" 5)"; then
		check "$scheme: the browser tells what it sees" false
		tail -n 5 "$work/$scheme.err" | sed 's/^/# /'
		continue
	fi
	judge "1280-$scheme" "$scheme"
	judge "720-$scheme" "$scheme"
	judge "400-$scheme" "$scheme"
	refuse "$scheme: nothing is on the console" grep 'CONSOLE' "$work/$scheme.err"
done

# ---- whether the checks notice ----

look spoilt light \
	"$(spoil sideways 's/\.scroll { overflow-x: auto;/.scroll { width: 900px;/')" \
	"$(spoil pale 's/--fg: #1a1c1f/--fg: #999999/')" \
	"$(spoil tiny 's/svg\.wide { display: none; }/svg.wide { display: block; }/; s/svg\.narrow { display: block; }//')" \
	"$(spoil twins "s/ id='locality0n-/ id='benefit0n-/")" \
	"$(spoil fetched 's|</main>|<img src="gone.png" alt=""></main>|')" \
	"$(spoil cut 's/ viewBox="0 0 376 /&-/; s/viewBox="0 0 376 -/viewBox="60 0 376 /')" \
	"$(spoil fewer 's/<figcaption>Up: the VMAs.*//; s/class="plot narrow" role="img" aria-label="Maps/hidden style="display:none" &/')" ||
	check "spoilt pages are looked at" false
noticed sideways 'the page is as wide as the window'
noticed sideways 'nothing is outside of the window'
noticed pale 'contrast of text is 4.5'
noticed pale 'contrast of text in plots is 4.5'
noticed tiny 'text in plots has 10 pixels'
noticed twins 'identifiers are unique'
noticed fetched 'nothing comes from elsewhere'
noticed fetched 'no errors'
noticed cut 'text in plots is inside of them'
noticed fewer 'plots shown'
noticed fewer 'figures have'

# ---- without gnuplot ----

mkdir "$work/bin"
refuse "without gnuplot there is no report" env PATH="$work/bin" \
	"$np" report "$work/results" --format html --out "$work/none.html" 2>"$work/stderr"
check "and it is said" grep -q 'cannot run gnuplot.*gnuplot-nox' "$work/stderr"
check "and nothing is written" [ ! -e "$work/none.html" ]
printf '#!/bin/sh\necho "line 0: no such terminal" >&2\nexit 1\n' >"$work/bin/gnuplot"
chmod +x "$work/bin/gnuplot"
refuse "where gnuplot fails there is no report" env PATH="$work/bin:/bin" \
	"$np" report "$work/results" --format html --out "$work/none.html" 2>"$work/stderr"
check "and what it said is said" grep -q 'exit status 1: line 0: no such terminal' "$work/stderr"
printf '#!/bin/sh\necho "<svg>"\n' >"$work/bin/gnuplot"
refuse "nor where it draws half" env PATH="$work/bin:/bin" \
	"$np" report "$work/results" --format html --out "$work/none.html" 2>"$work/stderr"
check "and nothing is written at all" [ ! -e "$work/none.html" ]

finish
