/**
 * Buttons that block and unblock an account, on profiles and in lists. The owner of a block is the user, or one of the user's
 * groups.
 */
import { block, isBlocked, isGroup, unblock } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { act, actAfter } from "./act";

/** done is called once the server has the block. */
export function blockButton({ db, counts }: Context, uid: string, name: string, owner: string, place: HTMLElement, done = () => {}): HTMLButtonElement {
  const what = () => block(db, owner, uid).then(() => (done(), counts.refreshSoon()));
  return actAfter(place, `Block ${name}? They cannot ${isGroup(owner) ? "join" : "follow you"}.`, "Block", name, what, `${name} is blocked.`);
}

export function unblockButton({ db }: Context, uid: string, name: string, owner: string, done = () => {}): HTMLButtonElement {
  return act("Unblock", name, () => unblock(db, owner, uid).then(done), `${name} may ${isGroup(owner) ? "join" : "follow you"} again.`);
}

/** Returns Block or Unblock, with the user as the owner. Costs one read, and is empty until the read has answered. */
export function blockToggle(context: Context, uid: string, name: string, place: HTMLElement): HTMLElement {
  const { db, me } = context;
  const node = el("span", {});
  const show = (blocked: boolean): void => {
    const focused = node.contains(document.activeElement);
    fill(node, blocked ? unblockButton(context, uid, name, me.uid, () => show(false)) : blockButton(context, uid, name, me.uid, place, () => show(true)));
    if (focused) node.querySelector("button")?.focus();
  };
  void isBlocked(db, me.uid, uid).then(show, () => {}); // offline, and the block is not in this device's cache
  return node;
}
