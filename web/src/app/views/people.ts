/** People: everyone, whom one follows, by whom one is followed, and whom one has blocked. */
import { Timestamp, type Query } from "firebase/firestore";
import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { blocked, followers, following } from "../data/follows";
import { everyone, nameOf, namesLike } from "../data/people";
import { Paged } from "../data/paged";
import { querySource } from "../data/query";
import { href, tabs, type Tab } from "../routes";
import { emptyState, listView } from "./list";
import { personRow, personSkeleton, type PersonItem } from "./person";

const pageSize = 20;

const empty: Record<Tab, [title: string, text: string]> = {
  everyone: ["Nobody here by that name", "Names are searched from their beginning."],
  following: ["You follow nobody yet", "Whom you follow shows here, and what they write in your feed."],
  followers: ["Nobody follows you yet", "Write something: it is what people follow somebody for."],
  blocked: ["You have blocked nobody", "You can block somebody in the list of your followers."],
};

export function peopleView(context: Context, tab: Tab): View {
  const { db, me } = context;

  const byName = (query: Query, field: "name" | "nameLower") =>
    new Paged<PersonItem>(querySource(query, pageSize, (user) => {
      const name = nameOf(user.data());
      context.names.put(user.id, name);
      return { id: user.id, order: `${user.get(field)} ${user.id}`, name };
    }), false);
  const byTime = (query: Query) =>
    new Paged<PersonItem>(querySource(query, pageSize, (found) => {
      const time: unknown = found.get("createdAt", { serverTimestamps: "estimate" });
      return { id: found.id, order: `${time instanceof Timestamp ? time.valueOf() : ""} ${found.id}` };
    }));
  const lists = {
    everyone: () => byName(everyone(db), "name"),
    following: () => byTime(following(db, me.uid)),
    followers: () => byTime(followers(db, me.uid)),
    blocked: () => byTime(blocked(db, me.uid)),
  };
  const show = (list: Paged<PersonItem>) =>
    listView(list, {
      label: tabs[tab],
      row: (item) => personRow(context, item, tab),
      skeleton: personSkeleton,
      empty: () => emptyState(...empty[tab]),
    });

  let list = show(lists[tab]());
  let timer = 0;
  const search = el("input", { class: "input", type: "search", placeholder: "Search by name", autocomplete: "off", aria: { label: "Search by name" } });
  const look = () => {
    const prefix = search.value.trim();
    list.close();
    const next = show(prefix ? byName(namesLike(db, prefix), "nameLower") : lists.everyone());
    list.node.replaceWith(next.node);
    list = next;
  };
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(look, 200); // a query for each word, not for each letter
  });

  const links = Object.entries(tabs).map(([name, label]) => {
    const link = el("a", { href: href({ to: "people", tab: name as Tab }) }, label);
    if (name === tab) link.setAttribute("aria-current", "page");
    return el("li", {}, link);
  });
  const node = el("div", { class: "view" },
    el("div", { class: "title row" }, el("h1", { tabIndex: -1 }, "People")),
    el("nav", { aria: { label: "Lists of people" } }, el("ul", { class: "tabs" }, ...links)),
    tab === "everyone" && search, list.node);
  return {
    node,
    close() {
      clearTimeout(timer);
      list.close();
    },
  };
}
