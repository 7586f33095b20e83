// Tables that are wider than their box: the edge that hides more fades, so that half a number is not read as a whole one.

const boxSizes = new ResizeObserver((entries) => entries.forEach(({ target }) => markHidden(target.closest(".wide"))));

function markHidden(box) {
  if (!box) return;
  const hidden = box.scrollWidth - box.clientWidth;
  box.classList.toggle("more", hidden > 1 && box.scrollLeft < hidden - 1);
}

function watchScrolling(box) {
  box.addEventListener("scroll", () => markHidden(box), { passive: true });
  boxSizes.observe(box);
  if (box.firstElementChild) boxSizes.observe(box.firstElementChild);
}

document.querySelectorAll(".wide").forEach(watchScrolling);
