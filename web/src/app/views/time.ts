import { el } from "../../shared/dom";
import { datesIn } from "./dates";

const { short, full } = datesIn();

/** How long ago, with the date and time to point at. keepTimes keeps it right. */
export function timeOf(time: Date): HTMLTimeElement {
  return el("time", { dateTime: time.toISOString(), title: full(time) }, short(time, new Date()));
}

/** Brings the times in the page up to date. */
export function drawTimes(): void {
  const now = new Date();
  for (const node of document.querySelectorAll("time")) node.textContent = short(new Date(node.dateTime), now);
}

/** Does so each minute, and when somebody comes back to the page. Called once. */
export function keepTimes(): void {
  setInterval(drawTimes, 60_000);
  document.addEventListener("visibilitychange", () => document.hidden || drawTimes());
}
