/** The button that follows and unfollows, asks and withdraws: it shows what is so, or that it is not settled yet. */
import { type Account, ask, codeOf, endRequest, follow, type Follow, isGroup, isolated, joinOwn, type FollowRequest, say, unfollow, watchFollow, watchRequest } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { plain } from "../../shared/theirs";
import type { Context, View } from "../context";
import { confirmIn } from "./confirm";
import { wrote } from "./refresh";
import { announce } from "./say";

/** What following is called: of a person, of a group. */
const words = {
  person: { follow: "Follow", ask: "Request to follow", following: "Following", undo: "unfollow", sending: "Following…", leaving: "Unfollowing…", done: "You follow", left: "You no longer follow", kept: "You still follow", not: "Not followed." },
  group: { follow: "Join", ask: "Request to join", following: "Joined", undo: "leave", sending: "Joining…", leaving: "Leaving…", done: "You have joined", left: "You have left", kept: "You are still in", not: "Not joined." },
  /** Of a group that I own: I belong to it already, and choose whether its posts are in my feed. */
  own: { follow: "Show in my feed", ask: "", following: "In my feed", undo: "remove", sending: "Adding…", leaving: "Removing…", done: "In your feed now:", left: "No longer in your feed:", kept: "Still in your feed:", not: "Not added." },
};

/**
 * @param changed is told whether I follow, as the server has it
 */
export function followButton(context: Context, id: string, account: Account, changed: (following: boolean) => void = () => {}): View {
  const { db, me, counts, names } = context;
  const name = isolated(account.name);
  const our = account.ownerId === me.uid ? words.own : isGroup(id) ? words.group : words.person;
  let closed = account.closed && account.ownerId !== me.uid;
  let now: Follow | undefined;
  let request: FollowRequest | undefined;
  let stopRequest = () => {};
  let settled = () => {};
  const node = el("button", { type: "button", class: "button small follow", aria: { disabled: "true", label: `Loading: ${name}` } });

  const show = () => {
    if (!now || (closed && !request)) return;
    const { following } = now;
    const asked = closed && !following && request?.asked;
    const sending = now.sending || Boolean(asked && request?.sending);
    node.classList.toggle("primary", !following && !sending && !asked);
    if (!sending) settled();
    // Not disabled: that would take the focus away from it.
    node.setAttribute("aria-disabled", String(sending));
    const word = following ? (sending ? our.sending : our.following) : asked ? (sending ? "Requesting…" : "Requested") : sending ? our.leaving : closed ? our.ask : our.follow;
    fill(node, word);
    const undo = sending ? "" : following ? `: ${our.undo}` : asked ? ": withdraw" : "";
    node.setAttribute("aria-label", plain(`${word} ${name}${undo}`));
    if (!sending) changed(following);
  };
  const failed = (error: Error) => {
    fill(node, "Not known");
    node.title = say(error);
  };
  const watchAsked = () => {
    stopRequest();
    if (closed) stopRequest = watchRequest(db, me.uid, id, (next) => ((request = next), show()), failed);
    else request = undefined;
  };

  const toggle = async () => {
    if (!now || node.getAttribute("aria-disabled") === "true") return;
    const { following } = now;
    const asked = closed && !following && request?.asked;
    try {
      if (following) await unfollow(db, me.uid, id);
      else if (asked) await endRequest(db, id, me.uid);
      else if (closed) await ask(db, me.uid, id);
      else if (account.ownerId === me.uid) await joinOwn(db, me.uid, id, account.closed);
      else await follow(db, me.uid, id);
      announce(following ? `${our.left} ${name}.` : asked ? "Request withdrawn." : closed ? `Requested. ${name} decides.` : `${our.done} ${name}.`);
      void counts.refreshSoon();
      wrote(context);
    } catch (error) {
      // The listener is about to put the button back. If it says "following" after all, another device was first:
      // that refuses this follow, and all is as it was meant to be.
      if (now.sending) await new Promise<void>((resolve) => (settled = resolve));
      if (!following && now.following) return;
      const refused = !following && codeOf(error) === "permission-denied";
      if (refused && (await hasTurned())) return;
      const why = refused ? refusal() : say(error);
      announce(following ? `${our.kept} ${name}. ${why}` : `${closed ? "Not requested." : our.not} ${why}`, true);
    }
  };
  const press = () => {
    const place = node.parentElement;
    if (!closed || !now?.following || !place || node.getAttribute("aria-disabled") === "true") return void toggle();
    // It could not be undone without the other.
    confirmIn(place, isGroup(id) ? `Leave ${name}? To join again, you have to ask.` : `Unfollow ${name}? To follow again, you have to ask.`, isGroup(id) ? "Leave" : "Unfollow", () => void (now?.following && toggle()));
  };
  node.addEventListener("click", press);

  const refusal = () =>
    isGroup(id) ? `${name} does not accept you as a member. Only its owner can change that.`
    : `${name} does not accept you as a follower. ${closed ? "Only they can change that." : "You can still read the posts on their profile."}`;

  /** Whether the account has been closed or opened since the page met it: then the button is another. */
  const hasTurned = async () => {
    const turned = await names.again(id).then((next) => next.closed !== closed, () => false);
    if (!turned || account.ownerId === me.uid) return false;
    closed = !closed;
    watchAsked();
    show();
    announce(closed ? `${name} is ${isGroup(id) ? "closed" : "private"} now: you can ask.` : `${name} is open now.`);
    return true;
  };

  watchAsked();
  const stop = watchFollow(db, me.uid, id, (next) => ((now = next), show()), failed);
  return {
    node,
    close() {
      stop();
      stopRequest();
    },
  };
}
