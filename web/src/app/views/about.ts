/** Page of posts about a #name or an account, by any author. It shows the posts that the reader may read. */
import { type Entry, feed, type Fields, isGroup, isolatedText, isTag, Paged } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { plain } from "../../shared/theirs";
import type { Context, View } from "../context";
import { href } from "../routes";
import { composer } from "./composer";
import { emptyState, listView } from "./list";
import { postRow, postSkeleton } from "./post";

export function aboutView(context: Context, ref: string): View {
  const { feedURL } = context.config;
  const heading = el("h1", { class: "grow", tabIndex: -1 }, isTag(ref) ? isolatedText(ref) : "\u00a0");
  if (!isTag(ref))
    void context.names
      .get(ref)
      .then(
        ({ name }) => name,
        () => "",
      )
      .then((name) => fill(heading, name ? `About ${isolatedText(name)}` : isolatedText(ref)));
  const top = el("div", { class: "title row" }, heading, !isTag(ref) && el("a", { class: "button small", href: href({ to: "profile", uid: ref }) }, "Profile"));
  if (feedURL === undefined) {
    console.info("Pages about something need the function Feed: put its address, feedURL, into config.json.");
    return {
      node: el("div", { class: "view" }, top, emptyState("Not available here", "Posts about one thing cannot be searched on this site.")),
      close: () => {},
    };
  }
  const what = isTag(ref) ? isolatedText(ref) : isGroup(ref) ? "this group" : "this person";
  const posts = new Paged<Entry<Fields>>(feed(context.me, { ref, isShown: () => list.node.isConnected }));
  const list: View = listView(posts, {
    label: "Posts about it",
    row: (entry) => postRow(context, entry),
    skeleton: postSkeleton,
    empty: () =>
      emptyState(
        `No posts about ${what} yet`,
        isTag(ref) ? `Posts with ${what} in them show here.` : `A post that you write on this page is about ${what}, and shows here.`,
      ),
    waiting: (count) => (count === 1 ? "1 new post" : `${count} new posts`),
  });
  return {
    node: el("div", { class: "view" }, top, composer(context, { place: `about/${ref}`, refs: [ref], placeholder: plain(`Write about ${what}`) }), list.node),
    close: list.close,
  };
}
