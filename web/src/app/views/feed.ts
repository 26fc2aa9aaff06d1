/** Page of the feed: a composer, the user's new posts, and the newest posts of all accounts that the user follows. */
import { feed, groupReposts, Paged } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { sourceKey, sourceOf } from "../../shared/source";
import type { Context, View } from "../context";
import { href } from "../routes";
import { composer } from "./composer";
import { emptyState, listView } from "./list";
import { outbox } from "./outbox";
import { postRow, postSkeleton } from "./post";
import { timelineList, type TimelineView } from "./timeline-list";

const options = {
  label: "Posts of the people you follow",
  skeleton: postSkeleton,
  empty: () =>
    emptyState(
      "Your feed is empty",
      "Follow some people, and what they write shows here as they write it.",
      el("a", { class: "button primary", href: href({ to: "people", tab: "everyone" }) }, "Find people"),
    ),
  waiting: (count: number) => (count === 1 ? "1 new post" : `${count} new posts`),
};

export function feedView(context: Context): View {
  const open = (): TimelineView => {
    const from = sourceOf(context.config);
    if (from === "timeline") return timelineList(context, { ...options, others: own.take });
    // With the posts, because their rows show numbers.
    const list = new Paged(feed(context.me, { from, posts: true, isShown: () => place.isConnected }), { merge: groupReposts });
    return { ...listView(list, { ...options, others: own.take, row: (entry) => postRow(context, entry) }), tools: [], panel: undefined };
  };

  const tools = el("div", { class: "row wrap" });
  const panel = el("div", {});
  const place = el("div", {});
  const own = outbox(context);
  let list: TimelineView | undefined;
  const show = () => {
    list?.close();
    list = open();
    fill(tools, ...list.tools);
    fill(panel, list.panel);
    fill(place, list.node);
  };
  show();
  const chosen = ({ key }: StorageEvent) => void (key === sourceKey && show()); // the console has changed the source
  window.addEventListener("storage", chosen);

  return {
    node: el(
      "div",
      { class: "view" },
      el("div", { class: "title row" }, el("h1", { class: "grow", tabIndex: -1 }, "Feed")),
      tools,
      panel,
      composer(context, { place: "feed" }),
      own.node,
      place,
    ),
    close() {
      window.removeEventListener("storage", chosen);
      own.close();
      list?.close();
    },
  };
}
