import { el } from "../../shared/dom";
import { ago } from "../../shared/time";

/** How long ago, with the date and time to point at. keepTimes keeps it right. */
export function timeOf(time: Date): HTMLTimeElement {
  return el("time", { dateTime: time.toISOString(), title: time.toLocaleString() }, ago(time));
}

/** Brings the times in the page up to date, each minute. Called once. */
export function keepTimes(): void {
  setInterval(() => {
    for (const node of document.querySelectorAll("time")) node.textContent = ago(new Date(node.dateTime));
  }, 60_000);
}
