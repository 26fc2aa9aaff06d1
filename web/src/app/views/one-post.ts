/** Page of a single post, with its comments, at an address of its own. */
import { type Post, errorMessage, watchPost } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context, View } from "../context";
import { href } from "../routes";
import { emptyState } from "./list";
import { postRow, type PostItem } from "./post";
import { Rows } from "./rows";

export function onePostView(context: Context, id: string): View {
  const items = el("ul", { class: "list card", hidden: true, aria: { label: "Post" } });
  const rows = new Rows<PostItem>(items, (item) => postRow(context, item, { open: true }));
  const state = el("div", { role: "status" }, el("p", { class: "small muted" }, "Loading…"));
  const show = (post: Post | null, fromCache: boolean) => {
    if (!post && fromCache && items.hidden) return; // the server may have the post
    rows.show(post ? [{ id, post }] : []);
    items.hidden = !post;
    fill(
      state,
      !post &&
        emptyState(
          "This post is not here",
          "It may have been deleted or hidden, or it is not for you.",
          el("a", { class: "button primary", href: href({ to: "feed" }) }, "Go to your feed"),
        ),
    );
  };
  const stop = watchPost(context.me, id, show, (error) => fill(state, el("div", { class: "notice bad", role: "alert" }, errorMessage(error))));
  return {
    node: el("div", { class: "view" }, el("div", { class: "title row" }, el("h1", { class: "grow", tabIndex: -1 }, "Post")), state, items),
    close() {
      stop();
      rows.close();
    },
  };
}
