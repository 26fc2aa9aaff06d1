import { el } from "../../shared/dom";
import { datesIn } from "./dates";

const { short, full } = datesIn();

/** How long ago, with the date and time to point at. keepTimes keeps it right. */
export function timeOf(time: Date): HTMLTimeElement {
  return el("time", { dateTime: time.toISOString(), title: full(time) }, short(time, new Date()));
}

/** Brings the times in the page up to date: each minute, and when somebody comes back to it. Called once. */
export function keepTimes(): void {
  const draw = () => {
    const now = new Date();
    for (const node of document.querySelectorAll("time")) node.textContent = short(new Date(node.dateTime), now);
  };
  setInterval(draw, 60_000);
  document.addEventListener("visibilitychange", () => document.hidden || draw());
}
