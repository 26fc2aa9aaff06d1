/** Picker that chooses people by name: a search field, the people found, and the people chosen. */
import { findAccounts, isGroup, isolatedText, errorMessage } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { avatar } from "./avatar";
import { nobody } from "./words";

export interface Picked {
  id: string;
  name: string;
}

export interface PeoplePicker {
  node: HTMLElement;
  get(): Picked[];
  set(people: Picked[]): void;
  focus(): void;
}

const mostFound = 5;

/**
 * Costs at most 10 reads per search. Results leave out groups, and people who are chosen already. changed is called when the
 * choice changes.
 */
export function peoplePicker({ me }: Context, most: number, changed: () => void): PeoplePicker {
  let chosen: Picked[] = [];
  let timer = 0;
  let searches = 0;
  let foundBy = ""; // the text whose people are listed
  const field = el("input", { class: "input", type: "search", placeholder: "Add people by name", autocomplete: "off", aria: { label: "Add people by name" } });
  const found = el("ul", { class: "found", aria: { label: "People found" } });
  const said = el("p", { class: "small muted said", role: "status" });
  const chips = el("ul", { class: "chips row wrap", aria: { label: "People who get it" } });
  const node = el("div", { class: "picker" }, chips, field, said, found);

  const show = () => {
    chips.hidden = chosen.length === 0;
    field.disabled = chosen.length >= most;
    fill(
      chips,
      ...chosen.map(({ id, name }) =>
        el(
          "li",
          {},
          el(
            "button",
            {
              type: "button",
              class: "chip",
              aria: { label: `Remove ${isolatedText(name)}` },
              on: { click: () => (set(chosen.filter((one) => one.id !== id)), field.focus()) },
            },
            el("span", {}, isolatedText(name)),
            el("span", { aria: { hidden: "true" } }, "×"),
          ),
        ),
      ),
    );
  };
  const set = (people: Picked[]) => {
    chosen = people;
    show();
    changed();
  };
  const clear = () => {
    clearTimeout(timer);
    searches++;
    field.value = "";
    fill(found);
    fill(said);
  };
  const add = (person: Picked) => {
    clear();
    set([...chosen, person]);
    field.focus();
  };

  const look = async () => {
    const prefix = field.value.trim();
    const mine = ++searches;
    if (!prefix) return clear();
    try {
      const accounts = await findAccounts(me, prefix, 2 * mostFound);
      if (mine !== searches) return; // another name was typed meanwhile
      const taken = new Set([me.id, ...chosen.map(({ id }) => id)]);
      const people = accounts.map(({ id, name }) => ({ id, name: name || nobody }));
      const offered = people.filter(({ id }) => !isGroup(id) && !taken.has(id)).slice(0, mostFound);
      foundBy = prefix;
      fill(said, offered.length === 0 && "Nobody by that name.");
      fill(
        found,
        ...offered.map((person) =>
          el(
            "li",
            {},
            el(
              "button",
              { type: "button", class: "row", aria: { label: `Add ${isolatedText(person.name)}` }, on: { click: () => add(person) } },
              avatar(person.id, person.name).node,
              isolatedText(person.name),
            ),
          ),
        ),
      );
    } catch (error) {
      if (mine === searches) fill(said, errorMessage(error));
    }
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void look(), 200); // a query for each word, not for each letter
  });
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && field.value) {
      event.stopPropagation();
      clear();
      field.focus();
    }
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.target !== field) return;
    event.preventDefault(); // Enter would send the post
    if (foundBy === field.value.trim()) found.querySelector("button")?.click();
  });
  show();

  return {
    node,
    get: () => chosen,
    set(people) {
      clear();
      set(people);
    },
    focus: () => field.focus(),
  };
}
