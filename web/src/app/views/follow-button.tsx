/**
 * Button that follows and unfollows an account. For a private account or a closed group, it sends and withdraws a request. It
 * shows whether the change has reached the server.
 */
import { type Account, codeOf, errorMessage, isGroup, reasonOf } from "relationindex-client";
import { useFollow } from "relationindex-client/react";
import { type ReactElement, useRef } from "react";
import { announce, confirm } from "../../shared/say";
import { plain } from "../../shared/words";
import { useMine } from "../context";
import { shownName } from "./words";

/** Texts of the button, for a person, for a group, and for a group of the user's own, which the user belongs to already. */
const words = {
  person: {
    follow: "Follow",
    ask: "Request to follow",
    following: "Following",
    undo: "unfollow",
    sending: "Following…",
    leaving: "Unfollowing…",
    done: "You follow",
    left: "You no longer follow",
    kept: "You still follow",
    not: "Not followed.",
  },
  group: {
    follow: "Join",
    ask: "Request to join",
    following: "Joined",
    undo: "leave",
    sending: "Joining…",
    leaving: "Leaving…",
    done: "You have joined",
    left: "You have left",
    kept: "You are still in",
    not: "Not joined.",
  },
  own: {
    follow: "Show in my feed",
    ask: "",
    following: "In my feed",
    undo: "remove",
    sending: "Adding…",
    leaving: "Removing…",
    done: "In your feed now:",
    left: "No longer in your feed:",
    kept: "Still in your feed:",
    not: "Not added.",
  },
};

export function FollowButton({ account }: { account: Account }): ReactElement {
  const me = useMine();
  const { id } = account;
  const own = account.ownerId === me.id;
  const follow = useFollow(id, account);
  const { is } = follow;
  const closed = (follow.closed ?? false) && !own;
  const name = shownName(account);
  const our = own ? words.own : isGroup(id) ? words.group : words.person;
  const before = useRef<typeof is>(undefined); // as the server had it
  const sending = follow.sending && !(is === "none" && before.current === "requested"); // a request is gone at once
  if (!follow.sending) before.current = is;

  const word = {
    none: sending ? our.leaving : closed ? our.ask : our.follow,
    requested: sending ? "Requesting…" : "Requested",
    following: sending ? our.sending : our.following,
    unknown: "",
  }[is ?? "unknown"];
  const undo = sending || is === "none" ? "" : is === "following" ? `: ${our.undo}` : ": withdraw";

  const press = async () => {
    if (!is || sending) return;
    if (closed && is === "following") {
      // The user cannot undo this alone: to follow again, the other side must accept.
      const [what, how, yes] = isGroup(id) ? ["Leave", "join", "Leave"] : ["Unfollow", "follow", "Unfollow"];
      if (!(await confirm(`${what} ${name}? To ${how} again, you have to ask.`, yes))) return;
    }
    try {
      await follow.toggle();
      if (is === "following") announce(`${our.left} ${name}.`);
      else announce(is === "requested" ? "Request withdrawn." : closed ? `Requested. ${name} decides.` : `${our.done} ${name}.`);
    } catch (error) {
      const refused = is === "none" && codeOf(error) === "permission-denied";
      const reason = reasonOf(error);
      if (reason === "closed") return announce(`${name} is ${isGroup(id) ? "closed" : "private"} now: you can ask.`);
      if (reason === "open") return announce(`${name} is open now.`);
      const why = refused ? refusal() : errorMessage(error);
      announce(is === "following" ? `${our.kept} ${name}. ${why}` : `${closed ? "Not requested." : our.not} ${why}`, true);
    }
  };
  const refusal = () =>
    isGroup(id)
      ? `${name} does not accept you as a member. Only its owner can change that.`
      : `${name} does not accept you as a follower. ${closed ? "Only they can change that." : "You can still read the posts on their profile."}`;

  return (
    <button
      type="button"
      className={is === "none" && !sending ? "button small follow primary" : "button small follow"}
      aria-disabled={!is || sending} // a disabled button would lose the focus
      aria-label={plain(is ? `${word} ${name}${undo}` : `Loading: ${name}`)}
      onClick={() => void press()}
    >
      {word}
    </button>
  );
}
