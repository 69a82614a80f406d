// Before the first paint: the theme that was chosen, and that scripts are at work.
document.documentElement.classList.add("scripted");
try {
  const theme = localStorage.getItem("kindred-theme");
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // Without storage the system's theme holds.
}
