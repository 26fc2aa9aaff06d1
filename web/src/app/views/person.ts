/** An account as a row of a list, with what one can do about it there. */
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { say } from "../data/errors";
import { block, removeFollower, unblock } from "../data/follows";
import { nobody } from "../data/people";
import { href, type Tab } from "../routes";
import { avatar } from "./avatar";
import { confirmIn } from "./confirm";
import { followButton } from "./follow-button";
import type { Row } from "./rows";
import { announce } from "./say";

export interface PersonItem {
  /** The account's. */
  id: string;
  order: string;
  /** Where the list itself knows it. */
  name?: string;
}

export function personRow(context: Context, item: PersonItem, tab: Tab): Row<PersonItem> {
  const face = avatar(item.id, item.name);
  const name = el("a", { class: "name grow", href: href({ to: "profile", uid: item.id }) }, item.name ?? "\u00a0");
  const actions = el("div", { class: "row actions" });
  const node = el("li", { class: "person row" }, face.node, name, actions);
  let close = () => {};

  const known = item.name === undefined ? context.names.get(item.id).catch(() => nobody) : Promise.resolve(item.name);
  void known.then((found) => {
    name.textContent = found;
    face.rename(found);
    if (item.id === context.me.uid) fill(actions, el("span", { class: "badge" }, "You"));
    else if (tab === "blocked") fill(actions, act(`Unblock`, found, () => unblock(context.db, context.me.uid, item.id), `${found} may follow you again.`));
    else {
      const follow = followButton(context, item.id, found);
      close = follow.close;
      fill(actions, ...(tab === "followers" ? followerActions(context, item.id, found, actions) : []), follow.node);
      if (!node.isConnected) follow.close(); // taken away before the name came
    }
  });
  return { node, update: () => {}, close: () => close() };

  function act(label: string, of: string, what: () => Promise<void>, done: string): HTMLButtonElement {
    return el("button", { type: "button", class: "button small", aria: { label: `${label} ${of}` }, on: { click: () => what().then(() => announce(done), (error: unknown) => announce(say(error), true)) } }, label);
  }
}

/** Remove and Block. The row goes when the follow document has: at once for Remove, by a function for Block. */
function followerActions(context: Context, uid: string, name: string, place: HTMLElement): HTMLElement[] {
  const { db, me, counts } = context;
  const button = (label: string, question: string, what: () => Promise<void>, done: string) => {
    const run = () => void what().then(() => (announce(done), counts.refreshSoon()), (error: unknown) => announce(say(error), true));
    return el("button", { type: "button", class: "button small quiet", aria: { label: `${label} ${name}` }, on: { click: () => confirmIn(place, question, label, run) } }, label);
  };
  return [
    button("Remove", `Remove ${name} from your followers?`, () => removeFollower(db, me.uid, uid), `${name} no longer follows you.`),
    button("Block", `Block ${name}? They cannot follow you.`, () => block(db, me.uid, uid), `${name} is blocked.`),
  ];
}

export function personSkeleton(): HTMLElement {
  return el("div", { class: "person row" }, el("span", { class: "avatar skeleton" }), el("span", { class: "skeleton text-bar", style: { width: "9em" } }), el("span", { class: "grow" }), el("span", { class: "skeleton follow" }));
}
