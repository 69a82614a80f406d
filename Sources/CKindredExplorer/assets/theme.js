// Runs before the first paint: applies the chosen theme, and marks the page as scripted.

document.documentElement.classList.add("scripted");
try {
  const theme = localStorage.getItem("kindred-theme");
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // Without storage, the system's theme applies.
}
