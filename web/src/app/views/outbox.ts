/** List of the user's new posts, above the feed. It shows a post until the feed has the post. */
import { type Entry, type ListState, type Value } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { postRow, type PostItem } from "./post";
import { Rows } from "./rows";

export interface Outbox extends View {
  /** Sets the list that stands below. The outbox leaves out the posts that this list shows. */
  above(list: Value<ListState<Entry>>): void;
}

export function outbox(context: Context): Outbox {
  const { ownPosts } = context;
  const items = el("ul", { class: "list card", hidden: true, aria: { label: "What you have just written" } });
  const rows = new Rows<PostItem>(items, (item) => postRow(context, item));
  let shown: Entry[] = [];
  let stopList = () => {};
  const show = () => {
    const mine = ownPosts.above(shown);
    rows.show(mine.map((post) => ({ id: post.id, post })));
    items.hidden = mine.length === 0;
  };
  const stop = ownPosts.state.watch(show);
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
      stop();
      stopList();
      rows.close();
    },
  };
}
