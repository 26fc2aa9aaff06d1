/** Page of the feed: a composer, the user's new posts, and the newest posts of all accounts that the user follows. */
import { relationsFeed, endpointFeed, type Entry, groupReposts, Paged, type Source } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { sourceKey, sourceOf } from "../../shared/source";
import type { Context, View } from "../context";
import { href } from "../routes";
import { composer } from "./composer";
import { emptyState, listView } from "./list";
import { outbox } from "./outbox";
import { postRow, postSkeleton } from "./post";
import { refreshAfterWrites } from "./refresh";
import { timelineList, type TimelineView } from "./timeline-list";

const options = {
  label: "Posts of the people you follow",
  skeleton: postSkeleton,
  empty: () =>
    emptyState("Your feed is empty", "Follow some people, and what they write shows here as they write it.",
      el("a", { class: "button primary", href: href({ to: "people", tab: "everyone" }) }, "Find people")),
  waiting: (count: number) => (count === 1 ? "1 new post" : `${count} new posts`),
};

export function feedView(context: Context): View {
  const { config, db, me, idToken } = context;
  const { feedURL, timelines } = config;

  const isShown = () => place.isConnected;
  const from = (posts: Source<Entry>): TimelineView => {
    const list = new Paged(posts, true, undefined, groupReposts);
    const stop = refreshAfterWrites(context, list);
    const { node, close } = listView(list, { ...options, row: (entry) => postRow(context, entry) });
    return { node, state: list.state, tools: [], panel: undefined, close: () => (stop(), close()) };
  };
  const open = (): TimelineView => {
    const source = sourceOf(config);
    if (source === "timeline" && timelines) return timelineList(context, timelines, options);
    if (source === "relations" || !feedURL) return from(relationsFeed(db, me.uid));
    return from(endpointFeed(feedURL, idToken, { isShown, ...(source === "pull" && { source }) }));
  };

  const tools = el("div", { class: "row wrap" });
  const panel = el("div", {});
  const place = el("div", {});
  const own = outbox(context);
  let list: TimelineView | undefined;
  const show = () => {
    list?.close();
    list = open();
    own.above(list.state);
    fill(tools, ...list.tools);
    fill(panel, list.panel);
    fill(place, list.node);
  };
  show();
  const chosen = ({ key }: StorageEvent) => void (key === sourceKey && show()); // the console has changed the source
  window.addEventListener("storage", chosen);

  return {
    node: el("div", { class: "view" }, el("div", { class: "title row" }, el("h1", { class: "grow", tabIndex: -1 }, "Feed")), tools, panel, composer(context, { place: "feed" }), own.node, place),
    close() {
      window.removeEventListener("storage", chosen);
      own.close();
      list?.close();
    },
  };
}
