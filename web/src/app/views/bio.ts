/** Bio of an account, below its name. It is hidden while it is empty. */
import { el, fill } from "../../shared/dom";
import { partsOf } from "./links";
import type { Line } from "./post-lines";
import { nodesOf } from "./text";

export function bioLine(): Line<string> {
  const node = el("p", { class: "bio", dir: "auto", hidden: true });
  return {
    node,
    update(text) {
      fill(node, ...nodesOf(partsOf(text)));
      node.hidden = text === "";
    },
  };
}
