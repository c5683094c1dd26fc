// SPDX-License-Identifier: GPL-2.0
/*
 * Appended to a copy of a report by browser.sh: looks at the page as it is laid out and tells the
 * page around it what is right and what is not. The report itself has no script.
 */
"use strict";

(function () {
	const query = new URLSearchParams(location.search);
	const lines = [], errors = [];

	window.addEventListener("error", (e) => errors.push(String(e.message || e.target.tagName)),
				true);

	function check(what, bad) {
		lines.push((bad.length ? "not ok" : "ok") + "|" + what + "|" +
			   bad.slice(0, 4).join("; "));
	}

	function shown(e) {
		return e.getClientRects().length > 0;
	}

	function name(e) {
		return (e.tagName + "." + (e.getAttribute("class") || "") + " '" +
			e.textContent.trim().slice(0, 24) + "'").replace(/[|\n]/g, " ");
	}

	function luminance(rgb) {
		const part = rgb.map((v) => v / 255).map((v) =>
			v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));

		return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
	}

	function color(text) {
		const v = (text.match(/[\d.]+/g) || []).map(Number);

		return /^rgb/.test(text) && (v.length === 3 || v[3] > 0) ? v.slice(0, 3) : null;
	}

	function contrast(a, b) {
		const x = luminance(a), y = luminance(b);

		return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
	}

	function background(e) {
		for (; e; e = e.parentElement) {
			const c = color(getComputedStyle(e).backgroundColor);

			if (c)
				return c;
		}
		return [255, 255, 255];
	}

	function texts() {
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		const found = new Set();

		while (walker.nextNode()) {
			const e = walker.currentNode.parentElement;

			if (walker.currentNode.data.trim() && e.tagName !== "SCRIPT" && shown(e))
				found.add(e);
		}
		return [...found];
	}

	function low_contrast(svg) {
		return texts().filter((e) => !!e.closest("svg") === svg).map((e) => {
			const style = getComputedStyle(e);
			const c = color(svg ? style.fill : style.color);

			return [e, c ? contrast(c, background(e)) : 0];
		}).filter((v) => v[1] < 4.5).map((v) => name(v[0]) + " " + v[1].toFixed(2));
	}

	function low_graphics() {
		const bad = new Set();

		for (const e of document.querySelectorAll("svg path, svg polygon, svg use, svg rect")) {
			const style = getComputedStyle(e);

			if (!shown(e) || e.closest("defs"))
				continue;
			for (const value of [style.stroke, e.getAttribute("fill-opacity") ?
					     "none" : style.fill]) {
				const c = color(value);

				if (c && contrast(c, background(e.closest("svg"))) < 3)
					bad.add(value);
			}
		}
		return [...bad];
	}

	function outside() {
		const wide = document.documentElement.clientWidth;

		return [...document.querySelectorAll("body *")].filter((e) => {
			const r = e.getBoundingClientRect(), box = e.closest(".scroll");

			return shown(e) && (!box || box === e) && !e.closest("svg svg, svg *") &&
				(r.left < -0.5 || r.right > wide + 0.5);
		}).map(name);
	}

	/* Text that does not wrap and runs out of its own box. */
	function spilling() {
		return [...document.querySelectorAll("body *")].filter((e) =>
			shown(e) && !e.closest("svg") && !e.matches(".scroll") && e.clientWidth &&
			e.scrollWidth > e.clientWidth + 1).map(name);
	}

	function plots() {
		return [...document.querySelectorAll("svg.plot")].filter(shown);
	}

	function inside(r, box) {
		return r.left >= box.left - 1 && r.right <= box.right + 1 &&
			r.top >= box.top - 1 && r.bottom <= box.bottom + 1;
	}

	function cut_text() {
		return plots().flatMap((svg) => [...svg.querySelectorAll("text")].filter((t) =>
			!inside(t.getBoundingClientRect(), svg.getBoundingClientRect())).map(name));
	}

	function overlapping_text() {
		return plots().flatMap((svg) => {
			const all = [...svg.querySelectorAll("text")].map((t) =>
				[t, t.getBoundingClientRect()]);

			return all.filter((a, i) => all.some((b, k) => k > i &&
				Math.min(a[1].right, b[1].right) - Math.max(a[1].left, b[1].left) > 2 &&
				Math.min(a[1].bottom, b[1].bottom) - Math.max(a[1].top, b[1].top) > 5))
				.map((a) => a[0].closest("figure").className + " " + name(a[0]));
		});
	}

	function small_text() {
		return plots().flatMap((svg) => [...svg.querySelectorAll("text, tspan")].map((t) =>
			[t, parseFloat(getComputedStyle(t).fontSize) * svg.getScreenCTM().a])
			.filter((v) => v[1] < 10).map((v) => name(v[0]) + " " + v[1].toFixed(1)));
	}

	function bad_plots() {
		const wide = document.documentElement.clientWidth;

		return plots().filter((svg) => {
			const r = svg.getBoundingClientRect();

			return r.width < 100 || r.height < 100 || r.left < 0 || r.right > wide + 0.5 ||
				svg.getAttribute("role") !== "img" ||
				(svg.getAttribute("aria-label") || "").length < 20;
		}).map(name);
	}

	function bad_figures() {
		return [...document.querySelectorAll("figure")].filter((f) =>
			!f.querySelector("h4") || !f.querySelector("figcaption") ||
			plots().filter((svg) => f.contains(svg)).length !== 1).map(name);
	}

	function bad_ids() {
		const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
		const bad = ids.filter((id, i) => ids.indexOf(id) !== i);

		for (const e of document.querySelectorAll("use, a")) {
			const to = e.getAttribute("href") || "";

			if (!to.startsWith("#") || !document.getElementById(to.slice(1)))
				bad.push(to);
		}
		return bad;
	}

	function outer() {
		const bad = performance.getEntriesByType("resource").map((r) => r.name);

		for (const e of document.querySelectorAll("[src], [srcset], [data], link, script, style")) {
			const css = e.tagName === "STYLE" && !/url\(|@import/.test(e.textContent);
			const icon = e.tagName === "LINK" && e.getAttribute("href") === "data:,";

			if (!css && !icon && e !== self)
				bad.push(name(e));
		}
		return bad;
	}

	function expect_number(what, got, wanted) {
		check(what + ": " + wanted, got === wanted ? [] : ["there are " + got]);
	}

	const self = document.currentScript;

	function run() {
		const dark = matchMedia("(prefers-color-scheme: dark)").matches;

		expect_number("window width", window.innerWidth, Number(query.get("width")));
		check("the scheme is " + query.get("scheme"),
		      (query.get("scheme") === "dark") === dark ? [] : ["it is not"]);
		check("the page is as wide as the window",
		      document.documentElement.scrollWidth === window.innerWidth ? [] :
		      [document.documentElement.scrollWidth + " pixels"]);
		expect_number("plots shown", plots().length, Number(query.get("plots")));
		check("plots have a size, a label and a place in the window", bad_plots());
		check("figures have a title, a caption and one plot", bad_figures());
		check("text in plots has 10 pixels", small_text());
		check("text in plots is inside of them", cut_text());
		check("text in plots does not overlap", overlapping_text());
		check("contrast of text is 4.5", low_contrast(false));
		check("contrast of text in plots is 4.5", low_contrast(true));
		check("contrast of what is drawn is 3", low_graphics());
		check("identifiers are unique and references lead somewhere", bad_ids());
		check("nothing comes from elsewhere", outer());
		document.querySelectorAll("details").forEach((d) => { d.open = true; });
		check("nothing is outside of the window, with all details open", outside());
		check("nothing runs out of its box, with all details open", spilling());
		check("the page is still as wide as the window",
		      document.documentElement.scrollWidth === window.innerWidth ? [] :
		      [document.documentElement.scrollWidth + " pixels"]);
		check("contrast of the text in details is 4.5", low_contrast(false));
		check("no errors", errors);
		parent.postMessage({ name: query.get("name"), lines: lines }, "*");
	}

	window.addEventListener("load", run);
})();
