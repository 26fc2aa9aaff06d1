/** Badge beside the word "Notifications". It shows the number of notifications to look at or to answer. */
import type { Badge } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { View } from "../context";
import { badgeText } from "./words";

export function badgeView(badge: Badge): View {
  const node = el("span", { class: "badge accent" });
  const close = badge.shown.subscribe((count) => {
    const text = badgeText(count);
    fill(node, text, text && el("span", { class: "visually-hidden" }, " to look at"));
    node.hidden = text === "";
  });
  return { node, close };
}
