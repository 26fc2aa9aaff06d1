/** The feed: a composer, what one has just written, and the newest posts of everyone that one follows. */
import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { directFeed, type Entry } from "../data/feed";
import { endpointFeed } from "../data/feed-endpoint";
import { Paged } from "../data/paged";
import { href } from "../routes";
import { composer } from "./composer";
import { emptyState, listView } from "./list";
import { outbox } from "./outbox";
import { postRow, postSkeleton } from "./post";

export function feedView(context: Context): View {
  const { feedURL } = context.config;
  let throughFeed = feedURL !== undefined && localStorage.getItem("read") === "feed";

  const open = () =>
    listView(new Paged<Entry>(throughFeed && feedURL ? endpointFeed(feedURL, context.idToken) : directFeed(context.db, context.me.uid)), {
      label: "Posts of the people you follow",
      row: (entry) => postRow(context, entry),
      skeleton: postSkeleton,
      empty: () =>
        emptyState("Your feed is empty", "Follow some people, and what they write shows here as they write it.",
          el("a", { class: "button primary", href: href({ to: "people", tab: "everyone" }) }, "Find people")),
      waiting: (count) => (count === 1 ? "1 new post" : `${count} new posts`),
    });

  let list = open();
  const own = outbox(context);

  /** Firestore's query, or the function Feed: the same posts either way. */
  const choice = () => {
    const box = el("input", { type: "checkbox", checked: throughFeed });
    box.addEventListener("change", () => {
      throughFeed = box.checked;
      localStorage.setItem("read", throughFeed ? "feed" : "direct");
      list.close();
      const next = open();
      list.node.replaceWith(next.node);
      list = next;
    });
    return el("label", { class: "switch small muted", title: "Ask the function Feed every few seconds, instead of listening to Firestore: less to download, and no follower ids." }, box, "Read through Feed");
  };

  const node = el("div", { class: "view" },
    el("div", { class: "title row" }, el("h1", { class: "grow", tabIndex: -1 }, "Feed"), feedURL !== undefined && choice()),
    composer(context), own.node, list.node);
  return {
    node,
    close() {
      own.close();
      list.close();
    },
  };
}
