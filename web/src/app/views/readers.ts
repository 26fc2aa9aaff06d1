/** Who gets a post: an audience out of a list, and people whom its author adds. */
import { maxTo, postable, visible } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { peoplePicker, type Picked } from "./people-picker";

export interface Readers {
  audience: string;
  to: Picked[];
}

export interface ReadersChoice {
  node: HTMLElement;
  /** What is still to be chosen; "" if nothing. */
  missing(): string;
  /** Takes the choice, and begins again with the first one. */
  take(): Readers;
  giveBack(chosen: Readers): void;
}

/**
 * first is what is chosen at first; my followers without it. more is what else can be added to a post: it opens with the people.
 * The list of groups is read when somebody begins to choose: see postable.
 */
export function readersChoice(context: Context, first: { id: string; name: string } | undefined, more: HTMLSelectElement): ReadersChoice {
  const { me } = context;
  const start = first?.id ?? me.uid;
  const select = el("select", { class: "input", aria: { label: "Who gets this post" } });
  const picker = peoplePicker(context, maxTo);
  const add = el("button", { type: "button", class: "button small quiet", aria: { expanded: "false" } }, "Add…");
  const added = el("div", { class: "row wrap added" }, picker.node, more);

  const offer = (groups: { id: string; name: string }[]) => {
    const chosen = select.options.length > 0 ? select.value : start; // "" is a choice
    const known = first && !groups.some(({ id }) => id === first.id) ? [first, ...groups] : groups;
    const option = (value: string, text: string) => el("option", { value }, text);
    fill(select, option(me.uid, "My followers"), ...known.map(({ id, name }) => option(id, `Group: ${visible(name)}`)), option("", "Only people I add"));
    select.value = chosen;
  };
  const open = (opening: boolean) => {
    added.hidden = !opening;
    add.setAttribute("aria-expanded", String(opening));
  };
  /** What is chosen stays in sight. */
  const isNeeded = () => select.value === "" || picker.get().length > 0 || more.value !== "";

  let asked = false;
  const ask = () => {
    if (asked) return;
    asked = true;
    // Without a network the list stays as it is, and the next one asks again.
    postable(context.db, me.uid).then(offer, () => (asked = false));
  };
  select.addEventListener("focus", ask);
  select.addEventListener("pointerenter", ask);
  select.addEventListener("change", () => isNeeded() && open(true));
  add.addEventListener("click", () => {
    const opening = add.getAttribute("aria-expanded") === "false";
    open(opening || isNeeded());
    if (opening) picker.focus();
  });

  const set = ({ audience, to }: Readers) => {
    select.value = audience;
    picker.set(to);
    open(isNeeded());
  };
  offer([]);
  open(false);

  return {
    node: el("div", { class: "readers" }, el("div", { class: "row wrap" }, select, add), added),
    missing: () => (select.value === "" && picker.get().length === 0 ? "Add somebody who gets it." : ""),
    take() {
      const chosen = { audience: select.value, to: picker.get() };
      set({ audience: start, to: [] });
      return chosen;
    },
    giveBack: set,
  };
}
