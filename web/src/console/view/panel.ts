/** Panel of the console, with its content while it is loading, empty or failed. */
import { el } from "../../shared/dom";

export interface Panel {
  node: HTMLElement;
  /** The text beside the title. */
  summary: HTMLElement;
  body: HTMLElement;
}

export function panel(name: string, title: string, ...body: HTMLElement[]): Panel {
  const summary = el("div", { class: "summary small muted" });
  const content = el("div", { class: "panel-body" }, ...body);
  const head = el("header", { class: "panel-head" }, el("h2", { id: `${name}-title` }, title), summary);
  return { node: el("section", { class: `card panel ${name}`, aria: { labelledby: `${name}-title` } }, head, content), summary, body: content };
}

/** Returns a part that scrolls, also by keyboard. */
export function scroller(label: string, ...children: HTMLElement[]): HTMLElement {
  return el("div", { class: "scroller", role: "region", tabIndex: 0, aria: { label } }, ...children);
}

/** Returns a part with buttons. It scrolls to the button that has the focus, so it needs no tab stop of its own. */
export function choices(label: string, ...children: HTMLElement[]): HTMLElement {
  return el("nav", { class: "scroller", aria: { label } }, ...children);
}

/** Returns placeholders of the same size as the rows that are loading. */
export function skeletons(rows: number, kind: "line" | "block" = "line"): HTMLElement {
  const node = el("div", { class: `skeletons ${kind}`, aria: { hidden: "true" } });
  for (let n = 0; n < rows; n++) node.append(el("div", { class: "skeleton" }));
  return node;
}

export function empty(what: string, todo: string): HTMLElement {
  return el("div", { class: "notice" }, el("p", { class: "strong" }, what), el("p", { class: "small" }, todo));
}

export function failure(what: string, why: string): HTMLElement {
  return el(
    "div",
    { class: "notice bad", role: "alert" },
    el("p", { class: "strong" }, what),
    el("p", { class: "small" }, why),
    el("p", { class: "small" }, "Is relationindex dev running? Reload the page when it is."),
  );
}
