import { readFileSync, readdirSync } from "node:fs";

const TOP_K = 4;
const folder = new URL("../content/", import.meta.url);
const articles = readdirSync(folder).sort().map((name) => {
  const text = readFileSync(new URL(name, folder), "utf8").split("---\n")[2].trim();
  return { slug: name.replace(/\.md$/, ""), text };
});

const words = (text) => new Set(text.toLowerCase().match(/\w{4,}/g) ?? []);
const shared = (left, right) => [...left].filter((word) => right.has(word)).length;

export function search(query) {
  const asked = words(query);
  return articles
    .map(({ slug, text }) => ({ slug, snippet: text, score: shared(asked, words(text)) }))
    .sort((a, b) => b.score - a.score || a.slug.localeCompare(b.slug))
    .slice(0, TOP_K);
}

export function answer(query, matches) {
  const asked = words(query);
  const sentences = matches[0].snippet.split("\n\n")[1].split(/(?<=\.)\s+/);
  return sentences.reduce((a, b) => (shared(asked, words(b)) > shared(asked, words(a)) ? b : a));
}
