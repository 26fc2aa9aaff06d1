/** Numbers of posts, followers and followed accounts, for the user and for other accounts. */
import { isGroup, type Numbers } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context, View } from "../context";
import { href } from "../routes";
import type { Line } from "./post-lines";

const wordOf = (count: number, one: string) => ` ${count === 1 ? one : `${one}s`}`;

/**
 * Returns the user's numbers: "12 following · 340 followers", each linked to its list. The number of posts follows if the functions
 * keep it.
 */
export function countsView(context: Context): View {
  const following = el("strong", {});
  const followers = el("strong", {});
  const word = el("span", {});
  const posts = el("span", { class: "muted" });
  const close = context.counts.state.subscribe((counts) => {
    following.textContent = counts ? counts.following.toLocaleString() : "–";
    followers.textContent = counts ? counts.followers.toLocaleString() : "–";
    word.textContent = wordOf(counts?.followers ?? 0, "follower");
    posts.hidden = counts?.posts === undefined;
    if (counts?.posts !== undefined) fill(posts, ...numberOf(counts.posts, "post"));
  });
  const node = el(
    "p",
    { class: "counts small" },
    el("a", { href: href({ to: "people", tab: "following" }) }, following, " following"),
    el("a", { href: href({ to: "people", tab: "followers" }) }, followers, word),
    posts,
  );
  return { node, close };
}

/** Returns the numbers of another account, "12 following 340 followers 7 posts", or of a group, "340 members 7 posts". */
export function numbersLine(id: string): Line<Numbers> {
  const node = el("p", { class: "counts small muted" });
  return {
    node,
    update({ following, followers, posts }) {
      fill(
        node,
        !isGroup(id) && el("span", {}, el("strong", {}, following.toLocaleString()), " following"),
        el("span", {}, ...numberOf(followers, isGroup(id) ? "member" : "follower")),
        el("span", {}, ...numberOf(posts, "post")),
      );
    },
  };
}

const numberOf = (count: number, one: string) => [el("strong", {}, count.toLocaleString()), wordOf(count, one)];
