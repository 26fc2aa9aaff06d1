/** How many notifications are unseen, beside the word "Notifications". */
import { el, fill } from "../../shared/dom";
import type { View } from "../context";
import { badgeText, type Badge } from "../data/badge";

export function badgeView(badge: Badge): View {
  const node = el("span", { class: "badge accent" });
  const close = badge.unseen.watch((count) => {
    const text = badgeText(count);
    fill(node, text, text && el("span", { class: "visually-hidden" }, " unseen"));
    node.hidden = text === "";
  });
  return { node, close };
}
