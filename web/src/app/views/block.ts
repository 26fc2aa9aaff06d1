/**
 * Buttons that block and unblock an account, on profiles and in lists. The owner of a block is the user, or one of the user's
 * groups.
 */
import { block, isBlocked, isGroup, unblock } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { act, actAfter } from "./act";

/** Calls turned with the new state at once, and again with the old one if the server rejects the change. */
type Turned = (blocked: boolean) => void;

export function blockButton({ me }: Context, uid: string, name: string, owner: string, place: HTMLElement, turned: Turned = () => {}): HTMLButtonElement {
  const what = () => turning(true, block(me, { id: uid, group: owner }), turned);
  return actAfter(place, `Block ${name}? They cannot ${isGroup(owner) ? "join" : "follow you"}.`, "Block", name, what, `${name} is blocked.`);
}

export function unblockButton({ me }: Context, uid: string, name: string, owner: string, turned: Turned = () => {}): HTMLButtonElement {
  return act(
    "Unblock",
    name,
    () => turning(false, unblock(me, { id: uid, group: owner }), turned),
    `${name} may ${isGroup(owner) ? "join" : "follow you"} again.`,
  );
}

async function turning(next: boolean, written: Promise<void>, turned: Turned): Promise<void> {
  turned(next);
  await written.catch((error: unknown) => {
    turned(!next);
    throw error;
  });
}

/** Returns Block or Unblock, with the user as the owner. Costs one read, and is empty until the read has answered. */
export function blockToggle(context: Context, uid: string, name: string, place: HTMLElement): HTMLElement {
  const { me } = context;
  const node = el("span", {});
  const show = (blocked: boolean): void => {
    const focused = node.contains(document.activeElement);
    fill(node, blocked ? unblockButton(context, uid, name, me.id, show) : blockButton(context, uid, name, me.id, place, show));
    if (focused) node.querySelector("button")?.focus();
  };
  void isBlocked(me, uid).then(show, () => {}); // offline, and the block is not in this device's cache
  return node;
}
