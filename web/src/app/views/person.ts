/** Row that shows an account in a list of people, with the buttons that the list offers. */
import { acceptRequest, type Account, type AccountItem, declineRequest, isGroup, isolatedText, removeFollower } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { href, type Tab } from "../routes";
import { act, actAfter } from "./act";
import { avatar } from "./avatar";
import { blockButton, unblockButton } from "./block";
import { followButton } from "./follow-button";
import type { Row } from "./rows";
import { nobody } from "./words";

/** An account of a list. Some lists have it whole: then it costs no read. */
type PersonItem = AccountItem & { account?: Account };

/** owner is the account that the list belongs to: the user, or one of the user's groups. */
export function personRow(context: Context, { id, account }: PersonItem, tab: Tab, owner = context.me.id): Row<PersonItem> {
  if (account) context.names.put(account);
  const face = avatar(id);
  const name = el("a", { class: "name grow", href: href({ to: "profile", uid: id }) }, "\u00a0");
  const actions = el("div", { class: "row actions" });
  const node = el("li", { class: "person row" }, face.node, name, actions);
  let gone = false;
  let close: () => void = () => (gone = true);

  void context.names
    .get(id)
    .catch(() => ({ id, name: "", closed: false, ownerId: "" }))
    .then((account) => {
      if (gone) return;
      const shown = isolatedText(account.name || nobody);
      fill(name, shown);
      face.rename(shown);
      if (isGroup(id)) name.append(" ", el("span", { class: "badge" }, "Group"));
      if (tab === "requests") return fill(actions, ...requestActions(context, id, shown, owner));
      if (tab === "blocked") return fill(actions, unblockButton(context, id, shown, owner));
      const own = tab === "followers" ? followerActions(context, id, shown, owner, actions) : [];
      if (id === context.me.id) return fill(actions, ...own, el("span", { class: "badge" }, "You"));
      const follow = followButton(context, { ...account, name: account.name || nobody });
      close = follow.close;
      fill(actions, ...own, follow.node);
    });
  return { node, update: () => {}, close: () => close() };
}

/** Returns Accept and Decline. The list removes the row when the request is deleted. */
function requestActions({ me, counts }: Context, uid: string, name: string, owner: string): HTMLElement[] {
  const follows = isGroup(owner) ? `${name} is a member now.` : `${name} follows you now.`;
  return [
    act("Decline", name, () => declineRequest(me, { id: uid, group: owner }), `Declined. ${name} may ask again.`, "quiet"),
    act("Accept", name, () => acceptRequest(me, { id: uid, group: owner }).then(() => void counts.refresh()), follows, "primary"),
  ];
}

/**
 * Returns Remove and Block. The list removes the row when the follow document is deleted: Remove does that at once, a function
 * does it after Block.
 */
function followerActions(context: Context, uid: string, name: string, owner: string, place: HTMLElement): HTMLElement[] {
  const { me, counts } = context;
  const [from, gone] = isGroup(owner) ? ["the group", "is no longer a member"] : ["your followers", "no longer follows you"];
  return [
    actAfter(
      place,
      `Remove ${name} from ${from}?`,
      "Remove",
      name,
      () => removeFollower(me, { id: uid, group: owner }).then(() => void counts.refresh()),
      `${name} ${gone}.`,
    ),
    blockButton(context, uid, name, owner, place),
  ];
}

export function personSkeleton(): HTMLElement {
  return el(
    "div",
    { class: "person row" },
    el("span", { class: "avatar skeleton" }),
    el("span", { class: "skeleton text-bar", style: { width: "9em" } }),
    el("span", { class: "grow" }),
    el("span", { class: "skeleton follow" }),
  );
}
