/**
 * Button that follows and unfollows an account. For a private account or a closed group, it sends and withdraws a request. It
 * shows whether the change has reached the server.
 */
import { type Account, codeOf, errorMessage, isGroup, isolatedText, type OwnFollow } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { plain } from "../../shared/theirs";
import type { Context, View } from "../context";
import { confirmIn } from "./confirm";
import { announce } from "./say";

/** Texts of the button, for a person and for a group. */
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
  /** For a group of the user's own. The user belongs to it already, and only chooses whether the feed has its posts. */
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

/**
 * @param changed is called with whether the user follows the account, as the server has it
 */
export function followButton(
  context: Context,
  account: Pick<Account, "id" | "name" | "closed" | "ownerId">,
  changed: (following: boolean) => void = () => {},
): View {
  const { me, follows, names } = context;
  const { id } = account;
  const name = isolatedText(account.name);
  const isOwn = account.ownerId === me.id;
  const our = isOwn ? words.own : isGroup(id) ? words.group : words.person;
  let closed = account.closed && !isOwn;
  let now: OwnFollow | undefined;
  let before: OwnFollow["is"] | undefined; // as the server had it
  const node = el("button", { type: "button", class: "button small follow", aria: { disabled: "true", label: `Loading: ${name}` } });

  const show = () => {
    if (!now) return;
    const { is } = now;
    const sending = now.sending && !(is === "none" && before === "requested"); // a request is gone at once
    if (!now.sending) before = is;
    node.classList.toggle("primary", is === "none" && !sending);
    // aria-disabled, because a disabled button would lose the focus.
    node.setAttribute("aria-disabled", String(sending));
    const word =
      is === "following"
        ? sending
          ? our.sending
          : our.following
        : is === "requested"
          ? sending
            ? "Requesting…"
            : "Requested"
          : sending
            ? our.leaving
            : closed
              ? our.ask
              : our.follow;
    fill(node, word);
    const undo = sending ? "" : is === "following" ? `: ${our.undo}` : is === "requested" ? ": withdraw" : "";
    node.setAttribute("aria-label", plain(`${word} ${name}${undo}`));
    if (!sending) changed(is === "following");
  };
  const asSeen = () => ({ ...account, closed: isOwn ? account.closed : closed });
  let stop = () => {};
  const watch = () => {
    stop();
    stop = follows.of(asSeen()).subscribe((next) => ((now = next), show()));
  };

  const toggle = async () => {
    if (!now || node.getAttribute("aria-disabled") === "true") return;
    const { is } = now;
    try {
      await follows.toggle(asSeen());
      announce(
        is === "following"
          ? `${our.left} ${name}.`
          : is === "requested"
            ? "Request withdrawn."
            : closed
              ? `Requested. ${name} decides.`
              : `${our.done} ${name}.`,
      );
    } catch (error) {
      const refused = is === "none" && codeOf(error) === "permission-denied";
      if (refused && (await hasTurned())) return;
      const why = refused ? refusal() : errorMessage(error);
      announce(is === "following" ? `${our.kept} ${name}. ${why}` : `${closed ? "Not requested." : our.not} ${why}`, true);
    }
  };
  const press = () => {
    const place = node.parentElement;
    if (!closed || now?.is !== "following" || !place || node.getAttribute("aria-disabled") === "true") return void toggle();
    // The user cannot undo this alone: to follow again, the other side must accept.
    confirmIn(
      place,
      isGroup(id) ? `Leave ${name}? To join again, you have to ask.` : `Unfollow ${name}? To follow again, you have to ask.`,
      isGroup(id) ? "Leave" : "Unfollow",
      () => void (now?.is === "following" && toggle()),
    );
  };
  node.addEventListener("click", press);

  const refusal = () =>
    isGroup(id)
      ? `${name} does not accept you as a member. Only its owner can change that.`
      : `${name} does not accept you as a follower. ${closed ? "Only they can change that." : "You can still read the posts on their profile."}`;

  /** Reports whether the account was closed or opened since the page has read it. If so, the button changes. */
  const hasTurned = async () => {
    const turned = await names.again(id).then(
      (next) => next.closed !== closed,
      () => false,
    );
    if (!turned || isOwn) return false;
    closed = !closed;
    watch();
    announce(closed ? `${name} is ${isGroup(id) ? "closed" : "private"} now: you can ask.` : `${name} is open now.`);
    return true;
  };

  watch();
  return { node, close: () => stop() };
}
