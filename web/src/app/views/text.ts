/** Texts by users, as text nodes and links. A long text shows only its beginning, and more when the reader presses a button. */
import { el } from "../../shared/dom";
import { href } from "../routes";
import { type Part, partsOf, shownAddress } from "./links";

// In characters. A post can have a million; the layout of 900,000 at once would stop the page for seconds.
const atFirst = 600;
const linesAtFirst = 12;
const step = 10_000;

/** Returns the nodes of parts. A link is isolated: its direction does not affect the text around it. */
export const nodesOf = (parts: Part[]): (Node | string)[] =>
  parts.map(({ text, url, tag }) => {
    if (tag !== undefined) return el("a", { href: href({ to: "about", ref: tag }), dir: "auto" }, text);
    if (url === undefined) return text;
    return el("a", { href: url, rel: "nofollow noopener noreferrer ugc", target: "_blank", dir: "ltr", title: url }, shownAddress(url));
  });

export function clampedText(text: string): { node: HTMLElement; update(text: string): void } {
  let length = atFirst;
  const body = el("p", { class: "post-text", dir: "auto" });
  const more = el("button", { type: "button", class: "link" });
  const node = el("div", {}, body);

  const cut = (length: number) => {
    const parts = partsOf(text, endOf(text, length));
    return { parts, left: text.length - parts.reduce((sum, part) => sum + part.text.length, 0) };
  };
  const show = () => {
    const { parts, left } = cut(length);
    body.replaceChildren(...nodesOf(parts), left > 0 ? "…" : "");
    if (left === 0) more.textContent = "Show less";
    else more.textContent = left > step ? `Show more (${left.toLocaleString()} characters left)` : "Show more";
    if (cut(atFirst).left === 0) more.remove();
    else if (more.parentNode !== node) node.append(more); // else it may have the focus
  };
  more.addEventListener("click", () => {
    const all = cut(length).left === 0;
    length = all ? atFirst : length === atFirst ? step / 2 : length + step;
    show();
    if (all) node.closest("article")?.scrollIntoView({ block: "nearest" });
  });
  show();
  return {
    node,
    update(next) {
      if (next === text) return;
      text = next;
      show();
    },
  };
}

/**
 * Returns where the shown beginning of a text ends, never within a character. The shortest beginning also has a limit of lines.
 */
function endOf(text: string, length: number): number {
  let end = Math.min(text.length, length);
  if (length === atFirst) {
    let line = -1;
    for (let n = 0; n < linesAtFirst && (n === 0 || line >= 0); n++) line = text.indexOf("\n", line + 1);
    if (line >= 0 && line < end) end = line;
    else if (text.length - end < 80) end = text.length; // a few words more are not worth a button
  }
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
