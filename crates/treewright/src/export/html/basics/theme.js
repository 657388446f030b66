// Light or dark: as the system says, until a reader decides.

function makeTheme() {
  const toggle = byId("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let own = null;
  try {
    own = localStorage.getItem("treewright-theme");
  } catch {
    // Pages opened from disk may have no storage.
  }

  function apply() {
    const isDark = own ? own === "dark" : dark.matches;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    toggle.textContent = isDark ? "Light" : "Dark";
    toggle.setAttribute("aria-label", isDark ? "Switch to light colours" : "Switch to dark colours");
  }

  toggle.addEventListener("click", () => {
    own = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("treewright-theme", own);
    } catch {
      // It then holds for this visit only.
    }
    apply();
  });
  dark.addEventListener("change", apply);
  // Paper is light.
  window.addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
  });
  window.addEventListener("afterprint", apply);
  apply();
}
