/** The feed: a composer, what one has just written, and the newest posts of everyone that one follows. */
import { directFeed, endpointFeed, type Entry, groupReposts, Paged, type Source } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { timelinesOf } from "../../shared/config";
import type { Context, View } from "../context";
import { choose, chosen, offered } from "../data/sources";
import { href } from "../routes";
import { composer } from "./composer";
import { emptyState, listView } from "./list";
import { outbox } from "./outbox";
import { postRow, postSkeleton } from "./post";
import { sourceChoice } from "./source-choice";
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
  const { feedURL } = config;
  const timelines = timelinesOf(config);
  let source = chosen(config);
  let throughFeed = feedURL !== undefined && localStorage.getItem("read") === "feed";

  const isShown = () => place.isConnected;
  const from = (posts: Source<Entry>): TimelineView =>
    ({ ...listView(new Paged(posts, true, undefined, groupReposts), { ...options, row: (entry) => postRow(context, entry) }), tools: [], panel: undefined });
  const open = (): TimelineView => {
    if (source === "timeline" && timelines) return timelineList(context, timelines, options);
    if (source === "pull" && feedURL) return from(endpointFeed(feedURL, idToken, { source }, isShown));
    return from(throughFeed && feedURL ? endpointFeed(feedURL, idToken, {}, isShown) : directFeed(db, me.uid));
  };

  const tools = el("div", { class: "row wrap" });
  const panel = el("div", {});
  const place = el("div", {});
  const own = outbox(context);
  const through = throughChoice(throughFeed, (next) => {
    throughFeed = next;
    show();
  });
  let list: TimelineView | undefined;
  const show = () => {
    list?.close();
    list = open();
    through.hidden = feedURL === undefined || source !== "relations";
    fill(tools, ...list.tools);
    fill(panel, list.panel);
    fill(place, list.node);
  };
  show();

  const choice = sourceChoice(offered(config), source, (next) => {
    source = next;
    choose(next);
    show();
  });
  const node = el("div", { class: "view" },
    el("div", { class: "title row wrap" }, el("h1", { class: "grow", tabIndex: -1 }, "Feed"), choice, through),
    tools, panel, composer(context, { place: "feed" }), own.node, place);
  return {
    node,
    close() {
      own.close();
      list?.close();
    },
  };
}

/** Firestore's query, or the function Feed: the same posts either way. */
function throughChoice(now: boolean, changed: (through: boolean) => void): HTMLElement {
  const box = el("input", { type: "checkbox", checked: now });
  box.addEventListener("change", () => {
    localStorage.setItem("read", box.checked ? "feed" : "direct");
    changed(box.checked);
  });
  return el("label", { class: "switch small muted", title: "Ask the function Feed every few seconds, instead of listening to Firestore: less to download, and no follower ids." }, box, "Read through Feed");
}
