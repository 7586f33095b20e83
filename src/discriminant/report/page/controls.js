// Light or dark, as the system has it until the reader says otherwise; and which plane's weights are shown.

function themeButton() {
  const [root, button] = [document.documentElement, byId("theme")];
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(isDark()));
    button.setAttribute("aria-label", "Dark colours");
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  button.hidden = false;
  show();
}

function planePicker(draw) {
  const picked = byId("plane");
  if (!picked) return;
  const tables = document.querySelectorAll(".plane");
  picked.addEventListener("change", () => {
    tables.forEach((table, i) => {
      table.hidden = i !== picked.selectedIndex;
    });
    draw();
  });
}
