/** What one has just written, above the feed: nobody is in one's own feed, but everybody looks for it there. */
import { myPosts } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { postRow, type PostItem } from "./post";
import { Rows } from "./rows";

/** Shows what is unsent, of an earlier visit too, and what was written since the page was opened. At most 5 reads. */
export function outbox(context: Context): View {
  const opened = performance.timeOrigin;
  const items = el("ul", { class: "list card", hidden: true, aria: { label: "What you have just written" } });
  const rows = new Rows<PostItem>(items, (item) => postRow(context, item));
  const list = myPosts(context.db, context.me.uid, 5);
  const stop = list.state.watch((state) => {
    const recent = state.items.filter(({ post }) => post.sending || post.createdAt.getTime() >= opened);
    rows.show(recent);
    items.hidden = recent.length === 0;
  });
  return {
    node: items,
    close() {
      stop();
      rows.close();
      list.close();
    },
  };
}
