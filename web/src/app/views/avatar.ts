import { isGroup, visibleText } from "relationindex-client";
import { el } from "../../shared/dom";
import { plain } from "../../shared/theirs";

/**
 * Avatar of an account: the initials of its name in a circle, or for a group in a square. The id decides the colour. The
 * initials are content of the style, not text: a button's visible text is then the name that its label has.
 */
export function avatar(uid: string, name = ""): { node: HTMLElement; rename(name: string): void } {
  const node = el("span", {
    class: isGroup(uid) ? "avatar group" : "avatar",
    aria: { hidden: "true" },
    style: { "--hue": String(hueOf(uid)) },
    data: { initials: initials(name) },
  });
  return { node, rename: (next) => (node.dataset["initials"] = initials(next)) };
}

function initials(name: string): string {
  const words = visibleText(plain(name)).trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0] ?? "");
  return letters.join("").toUpperCase();
}

function hueOf(uid: string): number {
  let sum = 0;
  for (const c of uid) sum = (sum * 31 + (c.codePointAt(0) ?? 0)) % 100_003;
  return Math.round(sum * 137.508) % 360; // the golden angle: neighbouring sums get hues that are far apart
}
