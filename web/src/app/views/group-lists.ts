/** Lists of a group's page, and the messages that may replace them. */
import { type AccountItem, blocked, followers, followRequests, Paged, postsToAudience, type Source } from "relationindex-client";
import type { Context, View } from "../context";
import { parts, type Part, type Tab } from "../routes";
import { emptyState, listView } from "./list";
import { personRow, personSkeleton } from "./person";
import { postRow, postSkeleton } from "./post";

/** Returns a list of a group. The lists other than posts are for the owner: the rules let nobody else read them. */
export function groupList(context: Context, id: string, part: Part, moderator: boolean): View {
  const { me } = context;
  const people = (all: Source<AccountItem>, tab: Tab, title: string, text: string) =>
    listView(new Paged(all), {
      label: parts[part],
      row: (item) => personRow(context, item, tab, id),
      skeleton: personSkeleton,
      empty: () => emptyState(title, text),
    });
  switch (part) {
    case "posts":
      return listView(new Paged(postsToAudience(me, id, { moderator })), {
        label: parts.posts,
        row: (item) => postRow(context, item),
        skeleton: postSkeleton,
        empty: () => emptyState("Nothing written yet", "What is posted in this group shows here, and in the feeds of its members."),
      });
    case "members":
      return people(followers(me, id), "followers", "Nobody is in it yet", "New members show here.");
    case "requests":
      return people(followRequests(me, id), "requests", "Nobody asks to join", "Requests to join a closed group show here.");
    case "blocked":
      return people(blocked(me, id), "blocked", "Nobody is blocked", "You can block people in the list of members.");
  }
}

export const closedGroup = () => emptyState("This group is closed", "Only members see its posts. You can ask to be one.");
export const goneGroup = () => emptyState("This group is gone", "Its posts stay with those who wrote them.");
