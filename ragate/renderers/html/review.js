"use strict";
// A person's word on changed answers: buttons beside a question, and one file of labels to save.
// A label names both outputs by their hashes and holds no text but the reason that was typed.
const makeReview = (data, rows, element, changed) => {
  const OPEN = [["better", "Better"], ["worse", "Worse"], ["same", "Same"], ["stale_reference", "Reference is stale"]];
  const BLIND = [["first", "The first is better"], ["second", "The second is better"], ...OPEN.slice(2)];
  const form = document.getElementById("reviewing");
  const told = form.querySelector("[role=status]");
  const given = new Map(), drawn = new Map();
  let saved = true;

  const isBlind = () => form.elements.blind.checked;
  const hides = (row) => isBlind() && row.hashes.length > 0;
  // True where the answer now is shown first: drawn once for each question.
  const swapped = (row) => {
    if (!drawn.has(row)) drawn.set(row, crypto.getRandomValues(new Uint8Array(1))[0] < 128);
    return drawn.get(row);
  };
  const verdictOf = (row, word) => {
    if (word !== "first" && word !== "second") return word;
    return (word === "first") === swapped(row) ? "better" : "worse";
  };
  const plural = (count) => `${count} label${count === 1 ? "" : "s"}`;
  const tell = () => {
    told.textContent = given.size ? `${plural(given.size)}, ${saved ? "saved" : "not saved"}` : "";
    form.elements.save.disabled = !given.size;
  };

  const panel = (row) => {
    const box = element("div", "review");
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Your word on this answer");
    const blind = hides(row), reason = element("input"), label = element("label", "", "Why? ");
    reason.maxLength = 300;
    reason.autocomplete = "off";
    reason.value = given.get(row)?.reason ?? "";
    label.append(reason);
    const buttons = (blind ? BLIND : OPEN).map(([word, text]) => {
      const button = element("button", "", text);
      button.type = "button";
      button.addEventListener("click", () => {
        const verdict = verdictOf(row, word);
        if (given.get(row)?.verdict === verdict) given.delete(row);
        else given.set(row, { verdict, blind, reason: reason.value });
        update();
      });
      return [button, word];
    });
    const update = () => {
      saved = false;
      press();
      tell();
      changed();
    };
    const press = () => buttons.forEach(([button, word]) =>
      button.setAttribute("aria-pressed", String(given.get(row)?.verdict === verdictOf(row, word))));
    reason.addEventListener("input", () => {
      if (!given.has(row)) return;
      given.get(row).reason = reason.value;
      saved = false;
      tell();
    });
    press();
    box.append(...buttons.map(([button]) => button), label);
    return box;
  };

  // Both answers without what tells them apart: from the same diff, or both as they stand.
  const answers = (body) => {
    const [before, now] = [".text.before", ".text.now"].map((name) => body.querySelector(name));
    const diff = now.querySelector("del, ins");
    if (!diff) return [before.textContent, now.textContent];
    return ["ins", "del"].map((other) => {
      const side = now.cloneNode(true);
      side.querySelectorAll(other).forEach((node) => node.remove());
      return side.textContent.replace(/\s+/g, " ").trim();
    });
  };
  const blindBody = (row, body) => {
    const kept = document.createDocumentFragment();
    const [before, now] = answers(body);
    kept.append(...[".turns", ".question"].map((name) => body.querySelector(name)).filter(Boolean));
    const expected = body.querySelector(":scope > .expected");
    if (expected) kept.append(expected);
    const sides = element("div", "sides");
    const texts = swapped(row) ? [now, before] : [before, now];
    ["First answer", "Second answer"].forEach((title, at) => {
      const block = element("div", "block");
      block.append(element("h4", "", title), element("p", "text", texts[at]));
      sides.append(block);
    });
    kept.append(sides);
    return kept;
  };

  const line = (row, who) => {
    const [sample, before, after] = row.hashes, { verdict, blind, reason } = given.get(row);
    const text = reason.replace(/\s+/g, " ").trim();
    return JSON.stringify({
      after, before, blind, commit: data.commit, gate: data.gate, id: row.id,
      reason: text.toWellFormed?.() ?? text, sample, verdict, who,
    });
  };
  const save = () => {
    const who = form.elements.who.value.replace(/\s+/g, " ").trim();
    if (!who) {
      told.textContent = "Say who you are first: a label carries a name.";
      form.elements.who.focus();
      return;
    }
    const lines = [...given.keys()].map((row) => `${line(row, who)}\n`);
    const link = element("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
    link.download = "ragate-labels.jsonl";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    saved = true;
    tell();
  };

  form.hidden = !rows.some((row) => row.hashes.length);
  form.addEventListener("submit", (event) => { event.preventDefault(); save(); });
  form.elements.blind.addEventListener("change", () => changed(true));
  addEventListener("beforeunload", (event) => { if (!saved) event.preventDefault(); });
  tell();
  return { panel, blindBody, hides, has: (row) => given.has(row) };
};
