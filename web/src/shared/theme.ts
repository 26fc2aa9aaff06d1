/** Button that switches between the system's theme, light and dark. It stores the choice on this device. */
import { el, fill } from "./dom";
import { outline } from "./outline";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const looks: Record<Theme, { name: string; icon: string }> = {
  system: { name: "as the system", icon: "M4 5h16v11H4ZM12 16v4M8.5 20h7" },
  light: {
    name: "light",
    icon: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  },
  dark: { name: "dark", icon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z" },
};

export function themeButton(): HTMLButtonElement {
  let theme = stored();
  const button = el("button", { type: "button", class: "button quiet small theme" });
  const show = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.title = `Theme: ${looks[theme].name}`;
    button.setAttribute("aria-label", button.title);
    fill(button, outline(looks[theme].icon));
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
