// Sphinx's own figures; pages and sections that are named by what was asked come first.
var Scorer = {
  score: ([, title, anchor, , score]) => {
    const asked = new URLSearchParams(location.search).get("q").toLowerCase().match(/\w+/g) || [];
    const named = asked.filter((word) => title.toLowerCase().includes(word)).length;
    return score + (named / Math.max(asked.length, 1)) * (anchor ? 20 : 40);
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: {}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
