/**
 * Row of the user's timeline. The line between new and old posts may stand above it. If the user hides the post, a button to show
 * it again replaces the post.
 */
import { type Entry, type Reader, errorMessage, type Value } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context } from "../context";
import { hideMenu } from "./hide-menu";
import { postRow } from "./post";
import type { Row } from "./rows";
import { announce } from "./say";

/** line has the id of the entry below the line; "" if there is none. */
export function timelineRow(context: Context, reader: Reader, line: Value<string>, entry: Entry): Row<Entry> {
  const undo = el("button", { type: "button", class: "button small" }, "Show again");
  const menu = hideMenu(context, reader, entry, () => undo.focus());
  undo.addEventListener("click", () => {
    for (const id of entry.ids ?? [entry.id]) reader.showPost(id).catch((error: unknown) => announce(`Not changed. ${errorMessage(error)}`, true));
    menu.button.focus();
  });
  const gone = el("div", { class: "row gone" }, el("span", { class: "grow small muted" }, "Hidden from your feed."), undo);
  const separator = el("div", { class: "unread-line small", role: "separator", aria: { label: "New posts are above" } }, el("span", {}, "New posts are above"));
  const post = postRow(context, entry, { menu });
  const { node } = post;
  const article = node.firstElementChild!;

  // An element that stays is not drawn again: it may have the focus.
  const stops = [
    line.subscribe((id) => (id === entry.id ? node.prepend(separator) : separator.remove())),
    reader.hidden.subscribe((all) => {
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
