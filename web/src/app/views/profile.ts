/** Page of a person: name, bio, numbers and posts. */
import { type Account, errorMessage, isolatedText, Paged, postsToAudience, watchAccount } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context, View } from "../context";
import { href } from "../routes";
import { avatar } from "./avatar";
import { bioLine } from "./bio";
import { blockToggle } from "./block";
import { numbersLine } from "./counts";
import { followButton } from "./follow-button";
import { emptyState, listView } from "./list";
import { loading } from "./loading";
import { ownProfileView } from "./own-profile";
import { postRow, postSkeleton } from "./post";
import { nobody } from "./words";

export function profileView(context: Context, uid: string): View {
  return uid === context.me.id ? ownProfileView(context) : othersProfile(context, uid);
}

const nobodyIsHere = () => emptyState("Nobody is here", "There is no account at this address, or not any more.");

function othersProfile(context: Context, uid: string): View {
  const face = avatar(uid);
  const name = el("h1", { tabIndex: -1 }, "\u00a0");
  const bio = bioLine();
  const below = el("div", { class: "row wrap below-name" });
  const numbers = context.config.counts ? numbersLine(uid) : undefined;
  const place = el("div", {}, loading());
  let follow: View | undefined;
  let list: View | undefined;
  let account: Account | null | undefined;
  let following: boolean | undefined; // not known yet
  let open = true;

  const stop = watchAccount(
    context.me,
    uid,
    (next, fromCache) => {
      if (!next && fromCache) return; // the server may have the account
      if (next) numbers?.update(next.counts);
      bio.update(next?.bio ?? "");
      const changed = !account || !next || account.closed !== next.closed || account.name !== next.name;
      account = next;
      if (changed) show();
    },
    (error) => fill(place, el("div", { class: "notice bad", role: "alert" }, errorMessage(error))),
  );

  const show = () => {
    const shown = account?.name || nobody;
    fill(name, isolatedText(shown));
    face.rename(shown);
    follow?.close();
    follow = account
      ? followButton(context, { ...account, name: shown }, (now) => {
          if (now === following) return;
          following = now;
          void showPosts();
        })
      : undefined;
    fill(
      below,
      follow?.node,
      account?.closed && el("span", { class: "badge" }, "Private"),
      account && el("a", { class: "small", href: href({ to: "about", ref: uid }) }, "Posts about them"),
      account && blockToggle(context, uid, isolatedText(shown), below),
    );
    void showPosts();
  };

  /**
   * Shows the posts, or why there are none. If the user may not read the posts, there is no query: the server would reject it.
   */
  const showPosts = async () => {
    const moderator = await context.moderator;
    if (!open || (account?.closed && following === undefined)) return;
    const readable = account && (!account.closed || following);
    if (readable && list) return;
    list?.close();
    list = undefined;
    if (!account) return fill(place, nobodyIsHere());
    if (!readable)
      return fill(
        place,
        emptyState("This account is private", `Only followers of ${isolatedText(account.name || nobody)} see these posts. You can ask to be one.`),
      );
    list = listView(new Paged(postsToAudience(context.me, uid, { moderator })), {
      label: "Posts",
      row: (item) => postRow(context, item),
      skeleton: postSkeleton,
      empty: () => emptyState("Nothing written yet", "Follow them to see their first post in your feed."),
    });
    fill(place, list.node);
  };

  return {
    node: el(
      "div",
      { class: "view" },
      el("section", { class: "profile row", aria: { label: "Profile" } }, face.node, el("div", { class: "grow" }, name, bio.node, below, numbers?.node)),
      place,
    ),
    close() {
      open = false;
      stop();
      follow?.close();
      list?.close();
    },
  };
}
