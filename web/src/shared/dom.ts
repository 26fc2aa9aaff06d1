// Functions that create elements without a framework. Text from users only ever becomes text nodes: no function accepts HTML.
// Text that is marked as isolated (theirs.ts) is shown in a <bdi>.
import { nodesOf, plain } from "./theirs";

type Child = Node | string | number | null | undefined | false;

type Props<K extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[K], "style" | "dataset" | "children">> & {
  class?: string;
  style?: Record<string, string>;
  data?: Record<string, string>;
  aria?: Record<string, string>;
  role?: string;
  on?: { [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void };
};

/** Creates an element: `el("button", { class: "button", on: { click: follow } }, "Follow")`. */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props<K> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  const { class: className, style, data, aria, role, on, ...rest } = props;
  Object.assign(node, rest);
  if (rest.title) node.title = plain(rest.title);
  if (className) node.className = className;
  if (role) node.setAttribute("role", role);
  for (const [name, value] of Object.entries(style ?? {})) node.style.setProperty(name, value);
  for (const [name, value] of Object.entries(data ?? {})) node.dataset[name] = value;
  for (const [name, value] of Object.entries(aria ?? {})) node.setAttribute(`aria-${name}`, plain(value));
  for (const [name, listener] of Object.entries(on ?? {})) node.addEventListener(name, listener as EventListener);
  node.append(...present(children));
  return node;
}

/** Replaces the children of a node. */
export function fill(node: Element, ...children: Child[]): void {
  node.replaceChildren(...present(children));
}

/** Returns the element with an id. Throws an error if the page has none. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no element #${id}`);
  return node as T;
}

function present(children: Child[]): (Node | string)[] {
  return children.filter((c) => c !== null && c !== undefined && c !== false).flatMap((c) => (c instanceof Node ? [c] : nodesOf(String(c))));
}
