/** A button that goes through the system's theme, light and dark, and remembers the choice on this device. */
import { el } from "./dom";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

export function themeButton(): HTMLButtonElement {
  let theme = stored();
  const button = el("button", { type: "button", class: "button quiet small" });
  const show = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = { system: "Auto", light: "Light", dark: "Dark" }[theme];
    button.setAttribute("aria-label", `Theme: ${button.textContent}. Change`);
  };
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
    localStorage.setItem("theme", theme);
    show();
  });
  show();
  return button;
}

function stored(): Theme {
  const value = localStorage.getItem("theme");
  return themes.find((t) => t === value) ?? "system";
}
