/** How many notifications want to be looked at or answered, beside the word "Notifications". */
import type { Badge } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { View } from "../context";
import { badgeText } from "./words";

export function badgeView(badge: Badge): View {
  const node = el("span", { class: "badge accent" });
  const close = badge.shown.watch((count) => {
    const text = badgeText(count);
    fill(node, text, text && el("span", { class: "visually-hidden" }, " to look at"));
    node.hidden = text === "";
  });
  return { node, close };
}
