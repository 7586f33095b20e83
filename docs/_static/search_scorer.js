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
    const more = { theory: 4, guides: 3, start: 3, reference: 1, decisions: -4 }[page.split("/")[0]] ?? 0;
    return score + (page.startsWith("reference/names/") ? -1 : { "theory/questions": 6, "theory/errata": 0, "theory/syllabus": 0 }[page] ?? more);
  },
};

{
  const ENOUGH = 6, withAll = Search.performTermsSearch, stemmer = new Stemmer();

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

  // A question has words that its answer need not have: with few pages for all of them, pages without some of them follow.
  Search.performTermsSearch = (terms, excluded) => {
    const found = withAll(terms, excluded), pages = new Set(found.map(([page]) => page));
    let fewer = [[...terms]];
    for (let left = terms.size - 1; left >= Math.max(1, terms.size / 2) && pages.size < ENOUGH; left--) {
      fewer = fewer.flatMap((words) => words.map((word) => words.filter((other) => other !== word)));
      fewer = [...new Map(fewer.map((words) => [[...words].sort().join(" "), words])).values()];
      for (const words of fewer) {
        for (const result of withAll(new Set(words), excluded)) {
          if (pages.has(result[0])) continue;
          result[4] *= left / terms.size / 2;
          pages.add(result[0]);
          found.push(result);
        }
      }
    }
    return [...found, ...indexed(terms)];
  };
}
