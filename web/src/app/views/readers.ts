/** Choice of who gets a post: an audience from a list, and people whom the author adds. */
import { groupsToPostTo, maxTo, visibleText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import type { Readers } from "../data/drafts";
import { peoplePicker } from "./people-picker";

export interface ReadersChoice {
  node: HTMLElement;
  /** Says what must still be chosen; "" if nothing. */
  missing(): string;
  get(): Readers;
  /** Returns the choice, and resets it to the first one. */
  take(): Readers;
  set(chosen: Readers): void;
  /** Writes the options again: the user's account may have become private, or open. */
  again(): void;
}

/**
 * first is the audience that is chosen at first; without it, the user's followers. more is another field of the post, which opens
 * together with the people. The list of groups is read when the user begins to choose: see groupsToPostTo. changed is called when the
 * choice changes.
 */
export function readersChoice(context: Context, first: { id: string; name: string } | undefined, more: HTMLSelectElement, changed: () => void): ReadersChoice {
  const { me } = context;
  const start = first?.id ?? me.id;
  const select = el("select", { class: "input", aria: { label: "Who gets this post" } });
  const picker = peoplePicker(context, maxTo, changed);
  const add = el("button", { type: "button", class: "button small quiet", aria: { expanded: "false" } }, "Add people");
  const added = el("div", { class: "row wrap added" }, picker.node, more);

  let groups = first ? [first] : [];
  /** Adds groups to the options. */
  const offer = (more: { id: string; name: string }[], chosen = select.value) => {
    groups = [...groups.filter(({ id }) => !more.some((one) => one.id === id)), ...more];
    const option = (value: string, text: string) => el("option", { value }, text);
    fill(
      select,
      option(me.id, context.session.account?.closed === false ? "Followers (public)" : "My followers"),
      ...groups.map(({ id, name }) => option(id, `Group: ${visibleText(name)}`)),
      option("", "Only people I add"),
    );
    select.value = chosen;
  };
  const open = (opening: boolean) => {
    added.hidden = !opening;
    add.setAttribute("aria-expanded", String(opening));
  };
  /** Reports whether the added fields must stay open: something is chosen there, or must be. */
  const isNeeded = () => select.value === "" || picker.get().length > 0 || more.value !== "";

  let asked = false;
  const ask = () => {
    if (asked) return;
    asked = true;
    // Without a network the list stays as it is. The next event reads it again.
    groupsToPostTo(me).then(
      (all) => offer(all.map(({ id, name }) => ({ id, name: name || id }))),
      () => (asked = false),
    );
  };
  const again = () => offer([]);
  select.addEventListener("focus", ask);
  select.addEventListener("pointerenter", ask);
  select.addEventListener("change", () => {
    if (isNeeded()) open(true);
    changed();
  });
  add.addEventListener("click", () => {
    const opening = add.getAttribute("aria-expanded") === "false";
    open(opening || isNeeded());
    if (opening) picker.focus();
  });

  const get = (): Readers => ({ audience: select.value, name: groups.find(({ id }) => id === select.value)?.name ?? "", to: picker.get() });
  const set = ({ audience, name, to }: Readers) => {
    offer(name ? [{ id: audience, name }] : [], audience);
    picker.set(to);
    open(isNeeded());
  };
  offer([], start);
  open(false);

  return {
    node: el("div", { class: "readers" }, el("div", { class: "row" }, select, add), added),
    missing: () => (select.value === "" && picker.get().length === 0 ? "Add somebody who gets it." : ""),
    take() {
      const chosen = get();
      set({ audience: start, name: first?.name ?? "", to: [] });
      return chosen;
    },
    get,
    set,
    again,
  };
}
