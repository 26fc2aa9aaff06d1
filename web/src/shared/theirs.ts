/**
 * Text that others wrote, which `isolated` has marked: what puts text into the page (dom.ts) shows it in a <bdi>. Text of
 * several lines stands in an element of its own, with dir=auto.
 */
const marked = /\u2068([^\u2068\u2069]*)\u2069/;

/** The text alone, for an attribute. */
export const plain = (text: string): string => text.replace(/[\u2068\u2069]/g, "");

/** The parts of a text, those of others each in a <bdi>. */
export function nodesOf(text: string): (Node | string)[] {
  return text.split(marked).map((part, i) => (i % 2 === 0 ? part : bdi(part))).filter((part) => part !== "");
}

function bdi(text: string): HTMLElement {
  const node = document.createElement("bdi");
  node.textContent = text;
  return node;
}
