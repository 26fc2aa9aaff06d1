import { el } from "../../shared/dom";

/** Tabs: a row of links to pages. The link to the current page is marked. */
export function tabsView<T extends string>(label: string, all: Record<T, string>, here: T, to: (tab: T) => string): HTMLElement {
  const links = (Object.entries(all) as [T, string][]).map(([tab, name]) => {
    const link = el("a", { href: to(tab) }, name);
    if (tab === here) link.setAttribute("aria-current", "page");
    return el("li", {}, link);
  });
  return el("nav", { aria: { label } }, el("ul", { class: "tabs" }, ...links));
}
