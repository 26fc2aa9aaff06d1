/** A post in my timeline: with the line between new and old above it, and in its place, once it is hidden, the way back. */
import { type Entry, type Reader, say, type Value } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context } from "../context";
import { hideMenu } from "./hide-menu";
import { postRow } from "./post";
import type { Row } from "./rows";
import { announce } from "./say";

/** line: the id of the entry under the line; "" for none. */
export function timelineRow(context: Context, reader: Reader, line: Value<string>, entry: Entry): Row<Entry> {
  const undo = el("button", { type: "button", class: "button small" }, "Show again");
  const menu = hideMenu(context, reader, entry, () => undo.focus());
  undo.addEventListener("click", () => {
    for (const id of entry.ids ?? [entry.id]) reader.showPost(id).catch((error: unknown) => announce(`Not changed. ${say(error)}`, true));
    menu.button.focus();
  });
  const gone = el("div", { class: "row gone" }, el("span", { class: "grow small muted" }, "Hidden from your feed."), undo);
  const separator = el("div", { class: "unread-line small", role: "separator", aria: { label: "New posts are above" } }, el("span", {}, "New posts are above"));
  const post = postRow(context, entry, { menu });
  const { node } = post;
  const article = node.firstElementChild!;

  // Nothing is drawn again that stays: it may have the focus.
  const stops = [
    line.watch((id) => (id === entry.id ? node.prepend(separator) : separator.remove())),
    reader.hidden.watch((all) => {
      const [now, next] = all.get(entry.id) === true ? [article, gone] : [gone, article];
      if (now.isConnected || now.parentNode === node) now.replaceWith(next);
    }),
  ];
  return {
    node,
    update: post.update,
    close() {
      for (const stop of stops) stop();
      post.close();
    },
  };
}
