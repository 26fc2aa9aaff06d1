/** List with its states: loading, empty, failed, more items to load, and new items waiting above. */
import { type Item, type Paged, errorMessage } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { View } from "../context";
import { icon } from "./icons";
import { Rows, type Row } from "./rows";

export interface ListOptions<T> {
  label: string;
  row: (item: T) => Row<T>;
  skeleton: () => HTMLElement;
  empty: () => HTMLElement;
  /** The text for new items that wait above: "3 new posts". Without it, new items show at once. */
  waiting?: (count: number) => string;
  /** Takes items out that show elsewhere, and returns the others. */
  others?: (items: T[]) => T[];
}

/** Shows a list. Closing the view closes the list. */
export function listView<T extends Item>(list: Paged<T>, options: ListOptions<T>): View {
  const items = el("ul", { class: "list card", aria: { label: options.label } });
  const rows = new Rows(items, options.row);
  const top = el("div", {});
  const sayAbove = sayIn(top);
  const bottom = el("div", { class: "list-end" });
  const sayBelow = sayIn(bottom, () => items.lastElementChild?.querySelector("a, button"));
  const more = el("button", { type: "button", class: "button", on: { click: () => void list.loadMore() } });
  const pill = el("button", { type: "button", class: "pill", on: { click: () => (list.showWaiting(), toTop()) } });
  const pillBox = el("div", { class: "pill-box", role: "status" });
  const node = el("div", { class: "list-view" }, pillBox, top, items, bottom);

  // The next page is read before the reader reaches the end of this one. The button is for readers who do not scroll.
  const near = new IntersectionObserver(
    (seen) => {
      const { moreError, barren } = list.state.get();
      if (seen.some((s) => s.isIntersecting) && !moreError && !barren) void list.loadMore();
    },
    { rootMargin: "600px" },
  );

  const online = () => {
    if (list.state.get().moreError) void list.loadMore();
  };
  window.addEventListener("online", online);

  // While the list is not in the page, it stays as the user left it.
  const atTop = () => void (node.isConnected && list.setAtTop(!options.waiting || window.scrollY < 100));
  window.addEventListener("scroll", atTop, { passive: true });

  const stop = list.state.subscribe((state) => {
    const loading = state.status === "loading";
    const shown = options.others?.(state.items) ?? state.items;
    items.setAttribute("aria-busy", String(loading));
    items.hidden = !loading && shown.length === 0;
    if (loading) fill(items, ...Array.from({ length: 6 }, () => placeholder(options.skeleton())));
    else {
      for (const old of items.querySelectorAll(":scope > .placeholder")) old.remove();
      rows.show(shown);
    }

    if (state.error)
      sayAbove(
        errorMessage(state.error),
        failure(state.error, () => list.retry()),
      );
    else if (!loading && !state.more && (state.status === "ready" ? shown : state.items).length === 0) sayAbove("empty", options.empty());
    else sayAbove("");

    if (state.waiting > 0 && options.waiting) {
      fill(pill, icon("up"), options.waiting(state.waiting));
      if (!pill.isConnected) pillBox.append(pill);
    } else pill.remove();

    if (state.moreError)
      sayBelow(
        errorMessage(state.moreError),
        failure(state.moreError, () => void list.loadMore()),
      );
    else if (state.more) {
      fill(more, state.loadingMore ? "Loading…" : "Load older");
      sayBelow("more", more);
      near.unobserve(more); // observe again: the button may still be near
      near.observe(more);
    } else sayBelow("");
  });

  return {
    node,
    close() {
      stop();
      near.disconnect();
      window.removeEventListener("scroll", atTop);
      window.removeEventListener("online", online);
      rows.close();
      list.close();
    },
  };
}

/**
 * Returns a function that fills a place when its words change. Unchanged buttons keep the focus. If a focused button is removed,
 * the focus goes to the new button, to what `before` returns, or to the heading.
 */
function sayIn(place: HTMLElement, before: () => HTMLElement | null | undefined = () => null): (words: string, node?: HTMLElement) => void {
  let said = "";
  return (words, node) => {
    if (words === said) return;
    said = words;
    const focused = place.contains(document.activeElement);
    fill(place, node);
    if (focused) (place.querySelector("button") ?? before() ?? document.querySelector("h1"))?.focus({ preventScroll: true });
  };
}

function placeholder(inside: HTMLElement): HTMLElement {
  return el("li", { class: "placeholder", aria: { hidden: "true" } }, inside);
}

function failure(error: Error, again: () => void): HTMLElement {
  return el(
    "div",
    { class: "notice bad", role: "alert" },
    el("p", {}, errorMessage(error)),
    el("button", { type: "button", class: "button small", on: { click: again } }, "Try again"),
  );
}

/** Returns the message of an empty list: what it would show, and what to do next. */
export function emptyState(title: string, text: string, ...actions: HTMLElement[]): HTMLElement {
  return el("div", { class: "notice empty" }, el("h2", {}, title), el("p", {}, text), ...actions);
}

function toTop(): void {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  window.scrollTo({ top: 0, behavior: still ? "auto" : "smooth" });
  document.querySelector("h1")?.focus({ preventScroll: true });
}
