import { el } from "../../shared/dom";
import { datesIn } from "./dates";

const { short, full } = datesIn();

/** Element that says how long ago a time was. Its tooltip has the full date and time. keepTimes keeps it up to date. */
export function timeOf(time: Date): HTMLTimeElement {
  return el("time", { dateTime: time.toISOString(), title: full(time) }, short(time, new Date()));
}

/** Brings the times in the page up to date. */
export function drawTimes(): void {
  const now = new Date();
  for (const node of document.querySelectorAll("time")) node.textContent = short(new Date(node.dateTime), now);
}

/** Calls drawTimes each minute, and when the user comes back to the page. Call it once. */
export function keepTimes(): void {
  setInterval(drawTimes, 60_000);
  document.addEventListener("visibilitychange", () => document.hidden || drawTimes());
}
