// Elements made by hand: text is always set as text, so nothing in the data can become markup.

const run = JSON.parse(document.getElementById("run-data").textContent);

const byId = (id) => document.getElementById(id);

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const html = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

const svg = (name, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

const shortened = (text, most) => (text.length <= most ? text : text.slice(0, most - 1) + "…");

// Shortened in the middle: of names like "purpose = A40" both the column and the level are seen.
function shortenedInside(text, most) {
  if (text.length <= most) return text;
  const end = Math.floor(most / 2) - 1;
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
}

// Names in brief; those that would look the same begin with the word in which they differ.
function briefNames(names, most) {
  const brief = names.map((name) => shortenedInside(name, most));
  return names.map((name, i) => {
    const alike = names.filter((other, k) => brief[k] === brief[i] && other !== name);
    if (alike.length === 0) return brief[i];
    const same = Math.min(...alike.map((other) => commonStart(name, other)));
    return "…" + shortened(name.slice(name.lastIndexOf(" ", same - 1) + 1), most - 1);
  });
}

function commonStart(one, other) {
  let k = 0;
  while (k < one.length && one[k] === other[k]) k++;
  return k;
}

// A class as a heading of a table: in brief, and in full where the pointer rests.
const labelElement = (text, most = 60) =>
  html("b", { class: "label", title: text.length > most ? text : null }, shortened(text, most));

// How many letters of a picture's text fit into so many pixels.
const lettersIn = (pixels) => Math.max(4, Math.floor(pixels / 7.8));

// Draw into a box, and again whenever its width changes; gives the function that draws again.
function keptDrawn(id, draw) {
  const box = byId(id);
  if (!box) return () => {};
  let width = 0;
  const again = () => {
    width = box.clientWidth;
    if (width > 0) box.replaceChildren(draw(width));
  };
  new ResizeObserver(() => {
    if (box.clientWidth !== width) again();
  }).observe(box);
  again();
  return again;
}

const describe = (id, words) => byId(id)?.setAttribute("aria-label", words);

// A heading that stays in sight while its table is scrolled.
const captionOf = (words) => html("caption", {}, html("span", {}, words));

function tableBox(name, ...children) {
  const box = html("div", { class: "wide", role: "region", "aria-label": name, tabindex: 0 }, ...children);
  watchScrolling(box);
  return box;
}
