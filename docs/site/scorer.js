// Sphinx's own figures; pages and sections that are named by what was asked come first, and the
// generated reference, which has every word somewhere, after what people wrote.
const REFERENCE = ["commands", "configuration", "metrics-reference", "action-reference", "architecture", "releasing"];
var Scorer = {
  score: ([page, title, anchor, , score]) => {
    const asked = new URLSearchParams(location.search).get("q").toLowerCase().match(/\w+/g) || [];
    const named = asked.filter((word) => title.toLowerCase().includes(word)).length;
    const below = REFERENCE.includes(page) ? 60 : 0;
    return score + (named / Math.max(asked.length, 1)) * (anchor ? 20 : 40) + (page === "faq" ? 2 : 0) - below;
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: {}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};

// Sphinx wants every word of a question on the page. A page is found as well by the words of users
// that lead to it (words.txt), wherever in a question they stand.
const performSearch = Search._performSearch;
Search._performSearch = (query, ...parsed) => {
  const asked = query.toLowerCase().match(/[\w/-]+/g) || [];
  const has = (word) => asked.some((one) => one === word || (word.length > 3 && one.startsWith(word)));
  const found = performSearch(query, ...parsed);
  // Where few pages have all of a question's words, those that have most of them follow.
  const [terms, ...others] = parsed;
  for (const term of found.length < 3 ? terms : []) {
    for (const result of performSearch(query, new Set([term]), ...others)) {
      const told = found.find(([page, , anchor]) => page === result[0] && anchor === result[2]);
      if (told) told[4] += result[4] / 4;
      else found.push([...result.slice(0, 4), result[4] / 4, ...result.slice(5)]);
    }
  }
  for (const [entry, places] of Object.entries(Search._index.indexentries)) {
    const words = entry.toLowerCase().split(" ");
    if (!words.every(has)) continue;
    for (const [file] of places) {
      const page = Search._index.docnames[file];
      const told = found.find((result) => result[0] === page);
      const score = 30 + 20 * words.length;
      if (told) told[4] = Math.max(told[4], score);
      else found.push([page, Search._index.titles[file], "", null, score, Search._index.filenames[file], "index"]);
    }
  }
  return found.sort((left, right) => left[4] - right[4]); // the last one is shown first
};
