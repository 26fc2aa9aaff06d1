/** List of the user's new posts, above the feed. It shows a post until the feed has the post. */
import { type Entry, type ListState, type Post, type Value } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { postRow, type PostItem } from "./post";
import { Rows } from "./rows";

export interface Outbox extends View {
  /** Sets the list that stands below. The outbox leaves out the posts that this list shows. */
  above(list: Value<ListState<Entry>>): void;
}

/** Reports whether the user writes or is asked something in a row: the row must stay. */
const inUse = (row: HTMLElement | undefined): boolean => Boolean(row?.contains(document.activeElement?.closest("form, .confirm") ?? null));

export function outbox(context: Context): Outbox {
  const { ownPosts } = context;
  const items = el("ul", { class: "list card", hidden: true, aria: { label: "What you have just written" } });
  const rows = new Rows<PostItem>(items, (item) => postRow(context, item));
  let shown: Entry[] = [];
  let mine: Post[] = [];
  let stopList = () => {};
  const show = () => {
    const next = ownPosts.above(shown);
    const held = mine.find(({ id }) => inUse(rows.nodeOf(id)));
    mine = !held || next.some(({ id }) => id === held.id) ? next : [...next, held];
    rows.show(mine.map((post) => ({ id: post.id, post })));
    items.hidden = mine.length === 0;
  };
  const stop = ownPosts.state.watch(show);
  // The form may be closed. Later: Safari gives a pressed button no focus, and its click must come first.
  let timer = 0;
  const showSoon = () => {
    clearTimeout(timer);
    timer = window.setTimeout(show, 300);
  };
  for (const moved of ["focusin", "focusout"]) items.addEventListener(moved, showSoon);
  return {
    node: items,
    above(list) {
      stopList();
      stopList = list.watch((state) => {
        shown = state.items;
        show();
      });
    },
    close() {
      clearTimeout(timer);
      stop();
      stopList();
      rows.close();
    },
  };
}
