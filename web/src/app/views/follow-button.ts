/**
 * Button that follows and unfollows an account. For a private account or a closed group, it sends and withdraws a request. It
 * shows whether the change has reached the server.
 */
import { type Account, ask, codeOf, endRequest, follow, type Follow, isGroup, isolated, joinOwn, type FollowRequest, say, unfollow, watchFollow, watchRequest } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { plain } from "../../shared/theirs";
import type { Context, View } from "../context";
import { confirmIn } from "./confirm";
import { wrote } from "./refresh";
import { announce } from "./say";

/** Texts of the button, for a person and for a group. */
const words = {
  person: { follow: "Follow", ask: "Request to follow", following: "Following", undo: "unfollow", sending: "Following…", leaving: "Unfollowing…", done: "You follow", left: "You no longer follow", kept: "You still follow", not: "Not followed." },
  group: { follow: "Join", ask: "Request to join", following: "Joined", undo: "leave", sending: "Joining…", leaving: "Leaving…", done: "You have joined", left: "You have left", kept: "You are still in", not: "Not joined." },
  /** For a group of the user's own. The user belongs to it already, and only chooses whether the feed has its posts. */
  own: { follow: "Show in my feed", ask: "", following: "In my feed", undo: "remove", sending: "Adding…", leaving: "Removing…", done: "In your feed now:", left: "No longer in your feed:", kept: "Still in your feed:", not: "Not added." },
};

/**
 * @param changed is called with whether the user follows the account, as the server has it
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
    // aria-disabled, because a disabled button would lose the focus.
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
      // The listener is about to reset the button. If it still reports "following", another device has followed first.
      // The server has then rejected this follow, and the account is followed, as the user meant.
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
    // The user cannot undo this alone: to follow again, the other side must accept.
    confirmIn(place, isGroup(id) ? `Leave ${name}? To join again, you have to ask.` : `Unfollow ${name}? To follow again, you have to ask.`, isGroup(id) ? "Leave" : "Unfollow", () => void (now?.following && toggle()));
  };
  node.addEventListener("click", press);

  const refusal = () =>
    isGroup(id) ? `${name} does not accept you as a member. Only its owner can change that.`
    : `${name} does not accept you as a follower. ${closed ? "Only they can change that." : "You can still read the posts on their profile."}`;

  /** Reports whether the account was closed or opened since the page has read it. If so, the button changes. */
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
