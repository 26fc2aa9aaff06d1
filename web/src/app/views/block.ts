/** Block and Unblock: in the lists of an owner, me or a group of mine, and on a profile. */
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

/** Block or Unblock, of me, in a row of buttons. Costs a read. Nothing is there until it is known which. */
export function blockToggle(context: Context, uid: string, name: string, place: HTMLElement): HTMLElement {
  const { db, me } = context;
  const node = el("span", {});
  const show = (blocked: boolean): void => {
    const focused = node.contains(document.activeElement);
    fill(node, blocked ? unblockButton(context, uid, name, me.uid, () => show(false)) : blockButton(context, uid, name, me.uid, place, () => show(true)));
    if (focused) node.querySelector("button")?.focus();
  };
  void isBlocked(db, me.uid, uid).then(show, () => {}); // offline, of somebody whom this device does not know
  return node;
}
