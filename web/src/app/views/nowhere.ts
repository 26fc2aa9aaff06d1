/** Page that is shown if the app has no page at an address. */
import { el } from "../../shared/dom";
import type { View } from "../context";
import { href } from "../routes";

export function nowhereView(): View {
  const node = el(
    "div",
    { class: "view" },
    el(
      "div",
      { class: "notice empty" },
      el("h1", { tabIndex: -1 }, "This page does not exist"),
      el("p", {}, "The address may be mistyped, or cut off."),
      el("a", { class: "button primary", href: href({ to: "feed" }) }, "Go to your feed"),
    ),
  );
  return { node, close: () => {} };
}
