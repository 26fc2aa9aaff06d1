/**
 * Page of notifications: follow requests that wait for an answer, then all notifications, the newest first. The page marks the
 * notifications that it shows as seen.
 */
import { type Badge, type Notification, notifications, Paged, errorMessage, Value } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Timestamp } from "firebase/firestore";
import type { Context, View } from "../context";
import { href, type Route } from "../routes";
import { emptyState, listView } from "./list";
import { partsOf } from "./notification-words";
import type { Row } from "./rows";
import { announce } from "./say";
import { timeOf } from "./time";
import { waitingRequests } from "./waiting-requests";
import { nameOf } from "./words";

export function notificationsView(context: Context, badge: Badge): View {
  // The time up to which all was seen when the page was opened. Later notifications stay marked as new. undefined: not known yet.
  const before = new Value<Timestamp | null | undefined>(undefined);
  const all = new Paged(notifications(context.me));
  const mark = () => {
    const newest = all.state.get().items[0];
    if (!newest || before.get() === undefined) return;
    badge.markSeen(newest.at).catch((error: unknown) => announce(`Not marked as seen. ${errorMessage(error)}`, true));
  };
  const stops = [
    badge.notifiedAt.subscribe((at) => {
      if (at === undefined || before.get() !== undefined) return;
      before.set(at);
      mark();
    }),
    all.state.subscribe(mark),
  ];
  const list = listView(all, {
    label: "Notifications",
    row: (one) => notificationRow(context, before, one),
    skeleton,
    empty: () => emptyState("Nothing new yet", "New followers, likes and comments show here."),
  });
  // Requests and notifications show together: requests that came later would move the text that is being read.
  const place = el(
    "div",
    { class: "view" },
    el("ul", { class: "list card", aria: { hidden: "true" } }, ...Array.from({ length: 6 }, () => el("li", {}, skeleton()))),
  );
  const waiting = waitingRequests(context, () => list.node.parentNode === place || fill(place, waiting.node, list.node));
  return {
    node: el("div", { class: "view" }, el("div", { class: "title row" }, el("h1", { class: "grow", tabIndex: -1 }, "Notifications")), place),
    close() {
      stops.forEach((stop) => stop());
      waiting.close();
      list.close();
    },
  };
}

const skeleton = () => el("div", { class: "notification" }, el("span", { class: "skeleton text-bar", style: { width: "64%" } }));

function notificationRow(context: Context, before: Value<Timestamp | null | undefined>, first: Notification): Row<Notification> {
  let one = first;
  const words = el("span", { class: "grow" });
  const mark = el("span", { class: "badge accent" }, "New");
  const when = el("span", { class: "muted small" });
  const node = el("li", { class: "notification" }, words, mark, when);
  const markNew = () => {
    const seen = before.get();
    const isNew = seen === null || (seen !== undefined && one.at > seen);
    mark.hidden = !isNew;
    node.classList.toggle("new", isNew);
  };
  let shown = "";
  const update = (next: Notification) => {
    one = next;
    const key = JSON.stringify([one.actors, one.count]);
    if (key !== shown) fill(words, ...sentence(context, one)); // an unchanged sentence stays: a link in it may have the focus
    shown = key;
    fill(when, timeOf(one.at.toDate()));
    markNew();
  };
  update(first);
  return { node, update, close: before.subscribe(markNew) };
}

/** Returns the sentence of a notification, with links to the named accounts and to the object. */
function sentence(context: Context, one: Notification): (Node | string)[] {
  const to = targetOf(one.verb, one.object);
  return partsOf(one).map((part) => {
    if ("actor" in part) return person(context, part.actor);
    if ("words" in part) return part.words;
    return to ? el("a", { href: href(to) }, part.what) : part.what;
  });
}

function person({ names }: Context, id: string): HTMLElement {
  const link = el("a", { class: "name", href: href({ to: "profile", uid: id }) }, "\u00a0");
  void nameOf(names, id).then((name) => fill(link, name));
  return link;
}

function targetOf(verb: Notification["verb"], object: string): Route | undefined {
  if (verb === "follow") return { to: "people", tab: "followers" };
  if (verb === "request") return { to: "people", tab: "requests" };
  return verb && { to: "post", id: object };
}
