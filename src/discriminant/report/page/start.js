// Everything in its place.

themeButton();
byId("assumption-inputs")?.addEventListener("submit", (event) => event.preventDefault());
if (run.two) new TwoClasses(run.two);
else if (run.many) new ManyClasses(run.many);
if (run.expected.value !== null) keptDrawn("verdict-picture", drawVerdict);
if (run.weights.length > 0) {
  planePicker(
    keptDrawn("weights-picture", (width) => {
      const plane = byId("plane")?.selectedIndex ?? 0;
      return drawWeights(width, run.weights[plane], weightSides(plane), tickNumber);
    }),
  );
}
if (run.importance.length > 0) {
  keptDrawn("importance-picture", (width) => drawWeights(width, run.importance, null, writeWorth));
}
run.shapes.forEach((points, i) => keptDrawn(`shape-${i}`, (width) => drawShape(width, points)));
if (run.comparison.some(({ value }) => value !== null)) {
  keptDrawn("comparison-picture", (width) => drawComparison(width, run.comparison));
}
if (run.calibration.length > 0) keptDrawn("calibration-picture", (width) => drawReliability(width, run.calibration));
