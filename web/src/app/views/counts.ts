import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { href } from "../routes";

/** "12 following · 340 followers", each a link to its list. */
export function countsView(context: Context): View {
  const following = el("strong", {});
  const followers = el("strong", {});
  const word = el("span", {});
  const close = context.counts.state.watch((counts) => {
    following.textContent = counts ? counts.following.toLocaleString() : "–";
    followers.textContent = counts ? counts.followers.toLocaleString() : "–";
    word.textContent = counts?.followers === 1 ? " follower" : " followers";
  });
  const node = el("p", { class: "counts small" },
    el("a", { href: href({ to: "people", tab: "following" }) }, following, " following"),
    el("a", { href: href({ to: "people", tab: "followers" }) }, followers, word));
  return { node, close };
}
