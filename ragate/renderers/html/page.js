"use strict";
// Makes the static list searchable: rows exist only where they are looked at, and every text enters
// the page as text. Without this script the page says the same, in order.
(() => {
  const HEIGHT = 58, SPARE = 6;
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const rows = data.rows.map(([place, id, query, tags, change, cause, must, scores, hashes = []]) => ({
    place, id, query, tags, change, cause, must, scores, hashes,
  }));
  // Of a question whose texts are in the page: answers, documents and passages too.
  const textOf = (row) => {
    if (row.text === undefined) {
      const source = row.place < 0 ? null : byId(`s${row.place}`);
      const body = source ? (source.content || source).textContent : "";
      row.text = [row.id, row.query, ...row.tags, body].join(" ").toLowerCase();
    }
    return row.text;
  };
  const lower = new Set(data.lower);
  const gain = (row, only) => row.scores.reduce((sum, score, at) => {
    const [before, after] = pair(score);
    if (before === null || after === null || (only >= 0 && at !== only)) return sum;
    return sum + (lower.has(at) ? before - after : after - before);
  }, 0);
  const explorer = byId("explorer"), list = byId("list"), space = byId("space");
  const detail = byId("detail"), still = byId("static"), form = explorer.querySelector("form");
  let shown = rows, chosen = -1, painted = new Map();

  const element = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const figure = (value) => (value === null ? "–" : String(Math.round(value * 1000) / 1000));
  const pair = (score) => (Array.isArray(score) ? score : [score, score]);
  const moves = (row) => row.scores
    .map((score, at) => [data.metrics[at], ...pair(score)])
    .filter(([, before, after]) => before !== after);

  const again = (all) => {
    painted.forEach((node) => node.remove());
    painted = new Map();
    paint();
    if (all && chosen >= 0) choose(rows[chosen], false);
  };
  const review = makeReview(data, rows, element, again);

  const options = (name, first, values) => {
    const select = form.elements[name];
    select.replaceChildren(new Option(first, ""), ...values.map((value) => new Option(value, value)));
    if (!values.length) select.parentElement.hidden = true;
  };
  const kinds = (pick) => [...new Set(rows.flatMap(pick).filter(Boolean))].sort();
  options("change", "any", [...kinds((row) => row.change), ...(rows.some((r) => !r.change) ? ["unchanged"] : [])]);
  options("cause", "any", kinds((row) => row.cause));
  options("tag", "any", kinds((row) => row.tags).slice(0, 500));
  options("metric", "any", data.metrics);

  const filter = () => {
    const wanted = Object.fromEntries(new FormData(form));
    const words = wanted.search.toLowerCase().split(/\s+/).filter(Boolean);
    const at = data.metrics.indexOf(wanted.metric);
    shown = rows.filter((row) =>
      (!wanted.change || (row.change || "unchanged") === wanted.change) &&
      (!wanted.cause || row.cause === wanted.cause) &&
      (!wanted.tag || row.tags.includes(wanted.tag)) &&
      (at < 0 || (Array.isArray(row.scores[at]) && row.scores[at][0] !== row.scores[at][1])) &&
      words.every((word) => textOf(row).includes(word)));
    const by = { fall: (a, b) => gain(a, at) - gain(b, at), rise: (a, b) => gain(b, at) - gain(a, at),
      id: (a, b) => (a.id < b.id ? -1 : 1) }[wanted.order];
    if (by) shown.sort(by);
    byId("count").textContent = shown.length === rows.length
      ? `${rows.length.toLocaleString("en")} questions` : `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} questions`;
    space.style.height = `${shown.length * HEIGHT}px`;
    painted.forEach((node) => node.remove());
    painted = new Map();
    list.scrollTop = 0;
    paint();
  };

  const paint = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - SPARE);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + SPARE);
    painted.forEach((node, at) => {
      if (at < first || at >= last) { node.remove(); painted.delete(at); }
    });
    for (let at = first; at < last; at += 1) {
      if (!painted.has(at)) {
        const node = line(shown[at], at);
        painted.set(at, node);
        space.append(node);
      }
    }
    list.toggleAttribute("aria-activedescendant", false);
    const current = shown.findIndex((row) => rows[chosen] === row);
    if (painted.has(current)) list.setAttribute("aria-activedescendant", `row${current}`);
  };

  const line = (row, at) => {
    const node = element("div", "row");
    node.id = `row${at}`;
    node.style.top = `${at * HEIGHT}px`;
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", String(rows[chosen] === row));
    node.setAttribute("aria-setsize", String(shown.length));
    node.setAttribute("aria-posinset", String(at + 1));
    const top = element("div", "line"), hidden = review.hides(row);
    if (row.change && !hidden) top.append(element("span", `badge ${row.change}`, row.change), " ");
    top.append(element("b", "", row.id));
    if (row.must) top.append(" ", element("span", "badge must", "must pass"));
    if (review.has(row)) top.append(" ", element("span", "badge", "labelled"));
    for (const [name, before, after] of hidden ? [] : moves(row).slice(0, 2)) {
      top.append(` ${name} ${figure(before)} → ${figure(after)}`);
    }
    node.append(top, element("div", "", row.query));
    node.addEventListener("click", () => choose(row, true));
    return node;
  };

  const bodyOf = (row) => {
    const source = row.place < 0 ? null : byId(`s${row.place}`);
    if (source instanceof HTMLTemplateElement) return source.content.cloneNode(true);
    if (source) return source.querySelector(".body").cloneNode(true);
    const body = document.createDocumentFragment();
    body.append(element("p", "question", row.query));
    body.append(element("p", "quiet", row.change
      ? "The texts of this question are not in this page: ragate report --explain prints them."
      : "Nothing changed: the same scores as before."));
    return body;
  };

  const scoresOf = (row) => {
    const box = element("details", "fold");
    box.append(element("summary", "", "All scores"));
    const items = element("ul", "scores");
    row.scores.forEach((score, at) => {
      const [before, after] = pair(score);
      const item = element("li");
      item.append(element("span", "name", data.metrics[at]), " ",
        element("span", "figure", before === after ? figure(after) : `${figure(before)} → ${figure(after)}`));
      items.append(item);
    });
    box.append(items);
    return box;
  };

  // What is looked at stands in the address: a copied link opens the same list at the same question.
  const remember = () => {
    const state = new URLSearchParams();
    if (shown.includes(rows[chosen])) state.set("q", rows[chosen].id);
    for (const [name, value] of new FormData(form)) if (value) state.set(name, value);
    history.replaceState(null, "", `#${state}`);
  };

  const asMarkdown = (row, body) => {
    const words = (node) => node.textContent.trim().replace(/\s+/g, " ");
    const parts = [["", ".cause, .failure"], ["Expected: ", ".expected .text"], ["Before: ", ".text.before"],
      ["Now: ", ".text.now"], ["", ".scores li"]];
    const lines = parts.flatMap(([lead, what]) => [...body.querySelectorAll(what)].map((node) => `- ${lead}${words(node)}`));
    return [`**${row.id}** ${row.query}`, "", ...lines, ""].join("\n");
  };

  const actionsFor = (row, body) => {
    const bar = element("div", "actions"), said = element("span", "quiet");
    said.setAttribute("role", "status");
    const put = async (text) => {
      try { await navigator.clipboard.writeText(text); said.textContent = "copied"; }
      catch { said.textContent = "this browser does not let the page copy"; }
    };
    const button = (title, text) => {
      const made = element("button", "", title);
      made.type = "button";
      made.addEventListener("click", () => put(text()));
      return made;
    };
    bar.append(button("Copy as Markdown", () => asMarkdown(row, body)),
      button("Copy link", () => { remember(); return location.href; }), said);
    return bar;
  };

  const choose = (row, byHand) => {
    chosen = rows.indexOf(row);
    painted.forEach((node, at) => node.setAttribute("aria-selected", String(shown[at] === row)));
    const head = element("h3"), hidden = review.hides(row), body = bodyOf(row);
    if (row.change && !hidden) head.append(element("span", `badge ${row.change}`, row.change), " ");
    head.append(row.id);
    row.tags.forEach((tag) => head.append(" ", element("span", "tag", tag)));
    const content = hidden ? review.blindBody(row, body) : body;
    if (row.hashes.length) content.querySelector(".sides").after(review.panel(row));
    const copy = hidden ? [] : [actionsFor(row, detail)];
    detail.replaceChildren(head, ...copy, content, ...(row.scores.length && !hidden ? [scoresOf(row)] : []));
    detail.scrollTop = 0;
    if (byHand) remember();
    paint();
  };

  const step = (by) => {
    if (!shown.length) return;
    const at = Math.min(shown.length - 1, Math.max(0, shown.indexOf(rows[chosen]) + by));
    list.scrollTop = Math.min(at * HEIGHT, Math.max(list.scrollTop, (at + 1) * HEIGHT - list.clientHeight));
    choose(shown[at], true);
  };

  const follow = () => {
    const hash = location.hash;
    let row;
    if (/^#s\d+$/.test(hash)) {
      row = rows.find((each) => each.place === Number(hash.slice(2)));
    } else {
      const state = new URLSearchParams(hash.slice(1));
      for (const field of form.elements) if (state.has(field.name)) field.value = state.get(field.name);
      if ([...state.keys()].some((name) => name !== "q")) filter();
      row = rows.find((each) => each.id === state.get("q"));
    }
    if (!row) return false;
    if (!shown.includes(row)) { form.reset(); filter(); }
    list.scrollTop = shown.indexOf(row) * HEIGHT;
    choose(row, false);
    byId("samples").scrollIntoView();
    detail.focus({ preventScroll: true });
    return true;
  };

  const KEYS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
  list.addEventListener("keydown", (event) => {
    if (event.key in KEYS) { event.preventDefault(); step(KEYS[event.key]); }
    if (event.key === "Enter") { event.preventDefault(); detail.focus(); }
  });
  list.addEventListener("scroll", paint, { passive: true });
  addEventListener("resize", paint);
  addEventListener("hashchange", follow);
  form.addEventListener("input", () => { filter(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  if (!rows.length) return;
  explorer.hidden = false;
  still.hidden = true;
  filter();
  if (!follow()) choose(rows[0], false);
})();
