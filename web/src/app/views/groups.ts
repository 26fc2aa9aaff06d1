/** Page of groups: the groups that the user has joined, the groups that the user owns, and a form for a new group. */
import { type AccountItem, createGroup, isolatedText, joinedGroups, ownedGroups, Paged, type Source } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context, View } from "../context";
import { groupTabs, href, type GroupTab } from "../routes";
import { groupForm } from "./group-form";
import { emptyState, listView } from "./list";
import { personRow, personSkeleton } from "./person";
import { announce } from "./say";
import { tabsView } from "./tabs";

const empty: Record<GroupTab, [title: string, text: string]> = {
  joined: ["You are in no group yet", "Search for groups by name under People, or make one."],
  owned: ["You own no group yet", "Make one for a team, a topic or a site."],
};

export function groupsView(context: Context, tab: GroupTab): View {
  const { me } = context;
  const place = el("div", {});
  const create = el("button", { type: "button", class: "button small" }, "New group");
  create.addEventListener("click", () => {
    const form = groupForm(
      "New group",
      "Create group",
      { name: "", closed: false, post: "members" },
      async (fields) => {
        const uid = await createGroup(me, fields);
        if (form.node.isConnected) location.hash = href({ to: "profile", uid });
        else announce(`${isolatedText(fields.name)} is created.`); // the user went on meanwhile
      },
      () => (fill(place), create.focus()),
    );
    fill(place, form.node);
    form.focus();
  });

  const groups: Source<AccountItem> = tab === "owned" ? ownedGroups(me) : joinedGroups(me);
  const list = listView(new Paged(groups), {
    label: `${groupTabs[tab]} groups`,
    row: (item) => personRow(context, item, "following"),
    skeleton: personSkeleton,
    empty: () => emptyState(...empty[tab]),
  });
  const node = el(
    "div",
    { class: "view" },
    el("div", { class: "title row" }, el("h1", { class: "grow", tabIndex: -1 }, "Groups"), create),
    place,
    tabsView("Lists of groups", groupTabs, tab, (to) => href({ to: "groups", tab: to })),
    list.node,
  );
  return { node, close: list.close };
}
