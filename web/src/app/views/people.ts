/** Page of people: everyone, and the user's own lists: followed accounts, followers, follow requests and blocked accounts. */
import { type AccountItem, accountsByName, blocked, followers, following, followRequests, Paged, type Source } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { href, tabs, type Tab } from "../routes";
import { emptyState, listView } from "./list";
import { personRow, personSkeleton } from "./person";
import { tabsView } from "./tabs";

const empty: Record<Tab, [title: string, text: string]> = {
  everyone: ["Nobody here by that name", "Try the beginning of a name."],
  following: ["You follow nobody yet", "People you follow show here, and their posts in your feed."],
  followers: ["Nobody follows you yet", "Write something: that is why people follow somebody."],
  requests: ["Nobody asks to follow you", "If your account is private, people ask to follow you, and you answer here."],
  blocked: ["You have blocked nobody", "You can block people on their profiles, and in the list of your followers."],
};

export function peopleView(context: Context, tab: Tab): View {
  const { me } = context;
  const lists: Record<Tab, () => Source<AccountItem>> = {
    everyone: () => accountsByName(me),
    following: () => following(me),
    followers: () => followers(me),
    requests: () => followRequests(me),
    blocked: () => blocked(me),
  };
  const show = (all: Source<AccountItem>) =>
    listView(new Paged(all), {
      label: tabs[tab],
      row: (item) => personRow(context, item, tab),
      skeleton: personSkeleton,
      empty: () => emptyState(...empty[tab]),
    });

  let list = show(lists[tab]());
  let timer = 0;
  const search = el("input", { class: "input", type: "search", placeholder: "Search by name", autocomplete: "off", aria: { label: "Search by name" } });
  const look = () => {
    list.close();
    const next = show(accountsByName(me, search.value.trim()));
    list.node.replaceWith(next.node);
    list = next;
  };
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(look, 200); // a query for each word, not for each letter
  });

  const node = el(
    "div",
    { class: "view" },
    el("div", { class: "title row" }, el("h1", { tabIndex: -1 }, "People")),
    tabsView("Lists of people", tabs, tab, (to) => href({ to: "people", tab: to })),
    tab === "everyone" && search,
    list.node,
  );
  return {
    node,
    close() {
      clearTimeout(timer);
      list.close();
    },
  };
}
