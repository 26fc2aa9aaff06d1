/** The button that follows and unfollows: it shows what is so, or that it is not settled yet. */
import { el, fill } from "../../shared/dom";
import type { Context, View } from "../context";
import { codeOf, say } from "../data/errors";
import { follow, unfollow, watchFollow, type Follow } from "../data/follows";
import { announce } from "./say";

export function followButton(context: Context, author: string, name: string): View {
  const { db, me, counts } = context;
  let now: Follow | undefined;
  let settled = () => {};
  const node = el("button", { type: "button", class: "button small follow", aria: { disabled: "true", label: `Loading: ${name}` } });

  const show = ({ following, sending }: Follow) => {
    node.classList.toggle("primary", !following && !sending);
    if (!sending) settled();
    // Not disabled: that would take the focus away from it.
    node.setAttribute("aria-disabled", String(sending));
    const word = following ? (sending ? "Following…" : "Following") : sending ? "Unfollowing…" : "Follow";
    fill(node, word);
    node.setAttribute("aria-label", `${word} ${name}${following && !sending ? ": unfollow" : ""}`);
  };

  const toggle = async () => {
    if (!now || now.sending) return;
    const { following } = now;
    try {
      await (following ? unfollow(db, me.uid, author) : follow(db, me.uid, author));
      announce(following ? `You no longer follow ${name}.` : `You follow ${name}.`);
      void counts.refreshSoon();
    } catch (error) {
      // The listener is about to put the button back. If it says "following" after all, another device was first:
      // that refuses this follow, and all is as it was meant to be.
      if (now.sending) await new Promise<void>((resolve) => (settled = resolve));
      if (!following && now.following) return;
      const why = !following && codeOf(error) === "permission-denied" ? `${name} does not take you as a follower.` : say(error);
      announce(following ? `You still follow ${name}. ${why}` : `Not followed. ${why}`, true);
    }
  };
  node.addEventListener("click", () => void toggle());

  const close = watchFollow(db, me.uid, author, (next) => show((now = next)), (error) => {
    fill(node, "Not known");
    node.title = say(error);
  });
  return { node, close };
}
