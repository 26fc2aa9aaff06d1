/** Row that shows an account in a list of people, with the buttons that the list offers. */
import { accept, endRequest, isGroup, isolated, type PersonItem, removeFollower, toAccount } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { href, type Tab } from "../routes";
import { act, actAfter } from "./act";
import { avatar } from "./avatar";
import { blockButton, unblockButton } from "./block";
import { followButton } from "./follow-button";
import type { Row } from "./rows";
import { nobody } from "./words";

/** owner is the account that the list belongs to: the user, or one of the user's groups. */
export function personRow(context: Context, { id }: PersonItem, tab: Tab, owner = context.me.uid): Row<PersonItem> {
  const face = avatar(id);
  const name = el("a", { class: "name grow", href: href({ to: "profile", uid: id }) }, "\u00a0");
  const actions = el("div", { class: "row actions" });
  const node = el("li", { class: "person row" }, face.node, name, actions);
  let gone = false;
  let close: () => void = () => (gone = true);

  void context.names.account(id).catch(() => toAccount()).then((account) => {
    if (gone) return;
    const shown = isolated(account.name || nobody);
    fill(name, shown);
    face.rename(shown);
    if (isGroup(id)) name.append(" ", el("span", { class: "badge" }, "Group"));
    if (tab === "requests") return fill(actions, ...requestActions(context, id, shown, owner));
    if (tab === "blocked") return fill(actions, unblockButton(context, id, shown, owner));
    const own = tab === "followers" ? followerActions(context, id, shown, owner, actions) : [];
    if (id === context.me.uid) return fill(actions, ...own, el("span", { class: "badge" }, "You"));
    const follow = followButton(context, id, { ...account, name: account.name || nobody });
    close = follow.close;
    fill(actions, ...own, follow.node);
  });
  return { node, update: () => {}, close: () => close() };
}

/** Returns Accept and Decline. The list removes the row when the request is deleted. */
function requestActions({ db, counts }: Context, uid: string, name: string, owner: string): HTMLElement[] {
  const follows = isGroup(owner) ? `${name} is a member now.` : `${name} follows you now.`;
  return [
    act("Decline", name, () => endRequest(db, owner, uid), `Declined. ${name} may ask again.`, "quiet"),
    act("Accept", name, () => accept(db, owner, uid).then(() => counts.refreshSoon()), follows, "primary"),
  ];
}

/**
 * Returns Remove and Block. The list removes the row when the follow document is deleted: Remove does that at once, a function
 * does it after Block.
 */
function followerActions(context: Context, uid: string, name: string, owner: string, place: HTMLElement): HTMLElement[] {
  const { db, counts } = context;
  const [from, gone] = isGroup(owner) ? ["the group", "is no longer a member"] : ["your followers", "no longer follows you"];
  return [
    actAfter(place, `Remove ${name} from ${from}?`, "Remove", name, () => removeFollower(db, owner, uid).then(() => counts.refreshSoon()), `${name} ${gone}.`),
    blockButton(context, uid, name, owner, place),
  ];
}

export function personSkeleton(): HTMLElement {
  return el("div", { class: "person row" }, el("span", { class: "avatar skeleton" }), el("span", { class: "skeleton text-bar", style: { width: "9em" } }), el("span", { class: "grow" }), el("span", { class: "skeleton follow" }));
}
