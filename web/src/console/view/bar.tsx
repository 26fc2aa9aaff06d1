/** Bars that show how full something is, or how far. Screen readers read the text. */
import type { CSSProperties, ReactElement } from "react";
import { plain } from "../../shared/words";
import { share } from "../words/numbers";

const slotsShown = 24;

interface BarProps {
  label: string;
  text: string;
}

/** A bar that shows how full something is. If max is small, each place is marked. */
export function Meter({ label, value, max, text }: BarProps & { value: number; max: number }): ReactElement {
  const looks = { some: value > 0, full: value >= max, slots: max > 1 && max <= slotsShown };
  const shown = Object.entries(looks).flatMap(([name, is]) => (is ? [name] : []));
  const aria = { "aria-label": plain(label), "aria-valuemin": 0, "aria-valuemax": max, "aria-valuetext": text };
  return (
    <div
      className={["bar", ...shown].join(" ")}
      role="meter"
      aria-valuenow={Math.min(value, max)}
      {...aria}
      style={{ "--slots": String(max) } as CSSProperties}
    >
      <span style={{ width: `${share(value, max) * 100}%` }} />
    </div>
  );
}

/** A bar that shows how far something is, 0 to 1. null only shows that it is under way. */
export function ProgressBar({ label, part, text, done }: BarProps & { part: number | null; done?: number }): ReactElement {
  const now = part === null ? undefined : Math.floor(part * 100);
  const aria = { "aria-label": plain(label), "aria-valuemin": 0, "aria-valuenow": now, "aria-valuemax": 100, "aria-valuetext": text };
  return (
    <div className={part === null ? "bar unknown" : "bar"} role="progressbar" {...aria} data-done={done}>
      <span style={{ width: `${(part ?? 1) * 100}%` }} />
    </div>
  );
}
