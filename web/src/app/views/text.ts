/** The text of a post: a text node, of which no more is in the page than somebody asked for. */
import { el, fill } from "../../shared/dom";

// Characters. A post can have a million of them; laying out 900,000 at once would stop the page for seconds.
const atFirst = 600;
const linesAtFirst = 12;
const step = 10_000;

export function clampedText(text: string): { node: HTMLElement; update(text: string): void } {
  let length = atFirst;
  const body = el("p", { class: "post-text", dir: "auto" });
  const more = el("button", { type: "button", class: "link" });
  const node = el("div", {}, body);

  const show = () => {
    const part = beginning(text, length);
    const left = text.length - part.length;
    fill(body, left > 0 ? `${part}…` : part);
    if (left === 0) more.textContent = "Show less";
    else more.textContent = left > step ? `Show more (${left.toLocaleString()} characters left)` : "Show more";
    if (beginning(text, atFirst).length < text.length) node.append(more);
    else more.remove();
  };
  more.addEventListener("click", () => {
    const all = beginning(text, length).length === text.length;
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

/** The beginning of a text, not cut within a character. The shortest is cut at a number of lines, too. */
function beginning(text: string, length: number): string {
  let end = Math.min(text.length, length);
  if (length === atFirst) {
    let line = -1;
    for (let n = 0; n < linesAtFirst && (n === 0 || line >= 0); n++) line = text.indexOf("\n", line + 1);
    if (line >= 0 && line < end) end = line;
    else if (text.length - end < 80) end = text.length; // a few words more are not worth a button
  }
  const last = text.charCodeAt(end - 1);
  if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--;
  return text.slice(0, end);
}
