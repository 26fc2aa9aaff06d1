/** What an account says of itself, below its name. */
import { el } from "../../shared/dom";
import type { Line } from "./post-lines";

export function bioLine(): Line<string> {
  const node = el("p", { class: "bio", dir: "auto", hidden: true });
  return {
    node,
    update(text) {
      node.textContent = text;
      node.hidden = text === "";
    },
  };
}
