import { el } from "../../shared/dom";

/** A row of links of which one is the page that is shown. */
export function tabsView<T extends string>(label: string, all: Record<T, string>, here: T, to: (tab: T) => string): HTMLElement {
  const links = (Object.entries(all) as [T, string][]).map(([tab, name]) => {
    const link = el("a", { href: to(tab) }, name);
    if (tab === here) link.setAttribute("aria-current", "page");
    return el("li", {}, link);
  });
  return el("nav", { aria: { label } }, el("ul", { class: "tabs" }, ...links));
}
