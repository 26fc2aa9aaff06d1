/**
 * Text by other users inside a text of the page. `isolatedText` marks it, and dom.ts shows it in a <bdi>. Text of several lines
 * needs no mark: it stands in an element of its own, with dir=auto.
 */
const marked = /\u2068([^\u2068\u2069]*)\u2069/;

/** Returns a text without the marks, for an attribute. */
export const plain = (text: string): string => text.replace(/[\u2068\u2069]/g, "");

/** Returns the parts of a text. Each marked part is in a <bdi>. */
export function nodesOf(text: string): (Node | string)[] {
  return text
    .split(marked)
    .map((part, i) => (i % 2 === 0 ? part : bdi(part)))
    .filter((part) => part !== "");
}

function bdi(text: string): HTMLElement {
  const node = document.createElement("bdi");
  node.textContent = text;
  return node;
}
