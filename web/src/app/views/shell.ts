/** Frame around the views of a signed-in user: header, navigation, the user's own card, and the line that says "offline". */
import { isGroup, isolatedText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { themeButton } from "../../shared/theme";
import type { Config } from "../../shared/config";
import type { Context, View } from "../context";
import { href, parse, type Route } from "../routes";
import { aboutView } from "./about";
import { avatar } from "./avatar";
import { badgeView } from "./badge";
import { countsView } from "./counts";
import { feedView } from "./feed";
import { groupView } from "./group";
import { groupsView } from "./groups";
import { HeldViews, historyEntry } from "./held";
import { icon, mark } from "./icons";
import { peopleView } from "./people";
import { notificationsView } from "./notifications";
import { onePostView } from "./one-post";
import { nowhereView } from "./nowhere";
import { profileView } from "./profile";
import { leavePage } from "./say";

export function header(config: Config): HTMLElement {
  return el(
    "header",
    { class: "top" },
    el(
      "div",
      { class: "top-inside row" },
      el("a", { class: "brand row", href: href({ to: "feed" }) }, mark(), el("span", {}, "relationindex")),
      el("span", { class: "grow" }),
      config.dev && el("a", { class: "button quiet small", href: "/console/" }, "Console"),
      themeButton(),
    ),
  );
}

export function shell(context: Context): View {
  const main = el("main", { id: "main", tabIndex: -1 });
  const nav = el("nav", { class: "main-nav", aria: { label: "Main" } });
  const own = ownCard(context);
  const badge = context.badge && badgeView(context.badge);
  const held = new HeldViews();
  let shown: { view: View; entry: string; route: Route } | undefined;

  const leave = () => {
    if (!shown) return;
    // The page of notifications is not held: it would mark new notifications as seen while nobody sees them.
    if (shown.route.to === "notifications") shown.view.close();
    else held.hold(shown.entry, shown.view);
  };
  const go = () => {
    const first = shown === undefined;
    const route = parse(location.hash);
    leave();
    leavePage();
    const entry = historyEntry();
    const back = held.take(entry);
    const view = back?.view ?? viewOf(context, route);
    shown = { view, entry, route };
    fill(main, view.node);
    fill(nav, ...links(context, route, badge?.node));
    document.title = `${titleOf(route)} · relationindex`;
    void context.counts.refresh();
    if (back) return back.resume();
    window.scrollTo(0, 0);
    // The keyboard continues from the new view's heading, and a screen reader reads the heading.
    const focus = () => main.querySelector("h1")?.focus({ preventScroll: true });
    if (!first) focus();
    else if (route.to === "nowhere") queueMicrotask(focus); // the view comes into the page right after this
  };
  history.scrollRestoration = "manual";
  window.addEventListener("hashchange", go);
  go();

  return {
    node: el("div", { class: "columns" }, nav, main, own.node),
    close() {
      window.removeEventListener("hashchange", go);
      shown?.view.close();
      held.close();
      own.close();
      badge?.close();
    },
  };
}

/** Returns the line that says "offline". It stays in the page, so that a screen reader reads each new text. */
export function offlineLine(offline: Context["offline"]): HTMLElement {
  const node = el("div", { class: "offline", role: "status" });
  offline.subscribe((gone) => fill(node, gone && el("span", {}, "Offline. What you write is sent when the network is back.")));
  return node;
}

function viewOf(context: Context, route: Route): View {
  switch (route.to) {
    case "feed":
      return feedView(context);
    case "people":
      return peopleView(context, route.tab);
    case "groups":
      return groupsView(context, route.tab);
    case "profile":
      return isGroup(route.uid) ? groupView(context, route.uid, route.part ?? "posts") : profileView(context, route.uid);
    case "post":
      return onePostView(context, route.id);
    case "notifications":
      return context.badge ? notificationsView(context, context.badge) : nowhereView();
    case "about":
      return aboutView(context, route.ref);
    case "nowhere":
      return nowhereView();
  }
}

const titleOf = (route: Route) =>
  ({
    feed: "Feed",
    people: "People",
    groups: "Groups",
    profile: "Profile",
    about: "Posts about it",
    post: "Post",
    notifications: "Notifications",
    nowhere: "This page does not exist",
  })[route.to];

/** badge shows the number of notifications to look at; undefined if the functions keep no notifications. */
function links(context: Context, route: Route, badge: HTMLElement | undefined): HTMLElement[] {
  const link = (name: "feed" | "people" | "groups" | "notifications" | "profile", label: string, to: Route, here: boolean, more?: HTMLElement) => {
    const node = el("a", { href: href(to) }, icon(name), el("span", { class: "label" }, label), more);
    if (here) node.setAttribute("aria-current", "page");
    return node;
  };
  const { id: uid } = context.me;
  return [
    link("feed", "Feed", { to: "feed" }, route.to === "feed"),
    link("people", "People", { to: "people", tab: "everyone" }, route.to === "people"),
    link("groups", "Groups", { to: "groups", tab: "joined" }, route.to === "groups" || (route.to === "profile" && isGroup(route.uid))),
    ...(badge ? [link("notifications", "Notifications", { to: "notifications" }, route.to === "notifications", badge)] : []),
    link("profile", "Profile", { to: "profile", uid }, route.to === "profile" && route.uid === uid),
  ];
}

function ownCard(context: Context): View {
  const {
    me: { id: uid },
    name,
  } = context;
  const counts = countsView(context);
  const node = el(
    "aside",
    { class: "own card", aria: { label: "You" } },
    el("div", { class: "row" }, avatar(uid, name).node, el("a", { class: "name grow", href: href({ to: "profile", uid }) }, isolatedText(name))),
    counts.node,
  );
  return { node, close: counts.close };
}
