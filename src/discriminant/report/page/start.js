// Everything in its place.

themeButton();
byId("assumption-inputs")?.addEventListener("submit", (event) => event.preventDefault());
if (run.two) new TwoClasses(run.two);
else if (run.many) new ManyClasses(run.many);
if (run.expected.value !== null) keptDrawn("verdict-picture", drawVerdict);
if (run.weights.length > 0) {
  planePicker(
    keptDrawn("weights-picture", (width) => drawWeights(width, run.weights[byId("plane")?.selectedIndex ?? 0])),
  );
}
if (run.comparison.some(({ value }) => value !== null)) {
  keptDrawn("comparison-picture", (width) => drawComparison(width, run.comparison));
}
if (run.calibration.length > 0) keptDrawn("calibration-picture", (width) => drawReliability(width, run.calibration));
