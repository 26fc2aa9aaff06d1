/** The choice of the theme: the system's, light or dark. It is stored on this device. */
import { type ReactElement, useState } from "react";

const themes = { system: "As the system", light: "Light", dark: "Dark" };
type Theme = keyof typeof themes;

const stored = (): Theme => (Object.keys(themes) as Theme[]).find((theme) => theme === localStorage.getItem("theme")) ?? "system";

/** Gives the page the stored theme. Call it before the page is drawn. */
export function applyTheme(theme = stored()): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function ThemeChoice(): ReactElement {
  const [theme, setTheme] = useState(stored);
  return (
    <select
      className="input"
      aria-label="Theme"
      value={theme}
      onChange={({ currentTarget: { value } }) => {
        localStorage.setItem("theme", value);
        setTheme(value as Theme);
        applyTheme(value as Theme);
      }}
    >
      {Object.entries(themes).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}
