/** List of the user's new posts, above the feed. It shows a post until the feed has the post. */
import type { Entry } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { postRow, type PostItem } from "./post";
import { Rows } from "./rows";

export interface Outbox extends View {
  /** Shows the user's new posts of the feed, and returns the other entries. */
  take(entries: Entry[]): Entry[];
}

/** Reports whether the user writes or is asked something in a row: the row must stay. */
const inUse = (row: HTMLElement | undefined): boolean => Boolean(row?.contains(document.activeElement?.closest("form, .confirm") ?? null));

export function outbox(context: Context): Outbox {
  const items = el("ul", { class: "list card", hidden: true, aria: { label: "What you have just written" } });
  const rows = new Rows<PostItem>(items, (item) => postRow(context, item));
  let next: Entry[] = [];
  let mine: Entry[] = [];
  const show = () => {
    const held = mine.find(({ id }) => inUse(rows.nodeOf(id)));
    mine = !held || next.some(({ id }) => id === held.id) ? next : [...next, held];
    rows.show(mine);
    items.hidden = mine.length === 0;
  };
  // The form may be closed. Later: Safari gives a pressed button no focus, and its click must come first.
  let timer = 0;
  const showSoon = () => {
    clearTimeout(timer);
    timer = window.setTimeout(show, 300);
  };
  for (const moved of ["focusin", "focusout"]) items.addEventListener(moved, showSoon);
  return {
    node: items,
    take(entries) {
      next = entries.filter(({ own }) => own);
      show();
      return entries.filter(({ own }) => !own);
    },
    close() {
      clearTimeout(timer);
      rows.close();
    },
  };
}
