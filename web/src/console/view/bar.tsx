/** Bars that show how full something is, or how far. Screen readers read the text. */
import type { CSSProperties } from "react";
import { plain } from "../../shared/words";
import { share } from "../words/numbers";

const slotsShown = 24;

interface BarProps {
  label: string;
  text: string;
}

/** A bar that shows how full something is. If max is small, each place is marked. */
export function Meter({ label, value, max, text }: BarProps & { value: number; max: number }) {
  const looks = ["bar", value > 0 && "some", value >= max && "full", max > 1 && max <= slotsShown && "slots"].filter(Boolean).join(" ");
  const aria = { "aria-label": plain(label), "aria-valuemin": 0, "aria-valuemax": max, "aria-valuetext": text };
  const slots = { "--slots": String(max) } as CSSProperties;
  return (
    <div className={looks} role="meter" aria-valuenow={Math.min(value, max)} {...aria} style={slots}>
      <span style={{ width: `${share(value, max) * 100}%` }} />
    </div>
  );
}

/** A bar that shows how far something is, 0 to 1. null only shows that it is under way. */
export function ProgressBar({ label, part, text, done }: BarProps & { part: number | null; done?: number }) {
  const now = part === null ? undefined : Math.floor(part * 100);
  const aria = { "aria-label": plain(label), "aria-valuemin": 0, "aria-valuenow": now, "aria-valuemax": 100, "aria-valuetext": text };
  return (
    <div className={part === null ? "bar unknown" : "bar"} role="progressbar" {...aria} data-done={done}>
      <span style={{ width: `${(part ?? 1) * 100}%` }} />
    </div>
  );
}
