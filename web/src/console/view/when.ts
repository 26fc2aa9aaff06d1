/** Element that says how long ago something was. It keeps itself up to date. */
import { el } from "../../shared/dom";
import { ago } from "./ago";
import { say } from "./keyed";

const everyMs = 5000;

export interface When {
  node: HTMLTimeElement;
  /** null: the time is not known. */
  show(date: Date | null): void;
}

export function when(): When {
  const node = el("time", { class: "small muted" });
  return {
    node,
    show(date) {
      node.dateTime = date && !Number.isNaN(date.getTime()) ? date.toISOString() : "";
      node.title = node.dateTime;
      draw(node);
    },
  };
}

function draw(node: HTMLTimeElement): void {
  say(node, node.dateTime === "" ? "" : ago(new Date(node.dateTime)));
}

setInterval(() => document.querySelectorAll<HTMLTimeElement>("time").forEach(draw), everyMs);
