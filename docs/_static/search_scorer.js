// Which pages come first, and what is shown where no page has all the words.
"use strict";

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  // Pages that explain come before pages that list.
  score: ([page, , , , score]) => {
    const more = { theory: 4, guides: 3, start: 3, pictures: 1, reference: 1, decisions: -4, architecture: -2, develop: -2, figures: -2 };
    const ofPage = { "theory/questions": 6, "theory/errata": 0, "theory/syllabus": 0 }[page] ?? more[page.split("/")[0]] ?? 3;
    return score + (page.startsWith("reference/names/") ? -1 : ofPage);
  },
};

{
  const withAll = Search.performTermsSearch, stemmer = new Stemmer();

  // Words of questions, not of what they ask about.
  const ASKING = new Set(`I a an another any anything are be but called can could did difference do does doing done
    ever explain find get give given go got handle has have here how if instead its keep know like make many mean means more most
    much my need of one only our own really set shall should show some something still take tell than them there they thing thus
    try two use used using want we what when where whether which who whose why will without work would you your`
    .split(/\s+/).map((word) => stemmer.stemWord(word.toLowerCase())));

  const told = (words) => {
    const left = [...words].filter((word) => !ASKING.has(word));
    return new Set(left.length ? left : words);
  };

  // Words of an index entry that are not in every sentence, by their stems.
  const stems = (entry) => splitQuery(entry).map((word) => word.toLowerCase()).filter((word) => !stopwords.has(word))
    .map((word) => stemmer.stemWord(word));

  // Sections with an index entry whose words are all asked for.
  function indexed(terms) {
    const { docnames, filenames, titles, indexentries } = Search._index, found = [];
    for (const [entry, places] of Object.entries(indexentries)) {
      const words = stems(entry);
      if (!words.length || !words.every((word) => terms.has(word))) continue;
      for (const [file, id] of places) {
        if (docnames[file].startsWith("reference/names/")) continue;
        found.push([docnames[file], titles[file], id ? `#${id}` : "", entry, 15 + 5 * words.length, filenames[file], SearchResultKind.index]);
      }
    }
    return found;
  }

  // A question has words that its answer need not have. Pages with any of them, by the share of what they have;
  // a word that few pages have counts more.
  Search.performTermsSearch = (terms, excluded) => {
    const words = told(terms), pages = new Map(), n = Search._index.docnames.length;
    let all = 0;
    for (const word of words) {
      const found = withAll(new Set([word]), excluded), weight = Math.log(1 + n / (1 + found.length));
      all += weight;
      for (const result of found) {
        const before = pages.get(result[0]);
        if (before) before[4] += weight * result[4];
        else { result[4] *= weight; pages.set(result[0], result); }
      }
    }
    const found = [...pages.values()];
    for (const result of found) result[4] /= all;
    return [...found, ...indexed(terms)];
  };
}
