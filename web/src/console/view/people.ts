/** List of authors to choose from, with a search field. */
import { isGroup, isolatedText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Db } from "../data/connect";
import { type Person, person } from "../data/documents";
import { live } from "../data/live";
import type { Names } from "../data/names";
import { mostIndexed, someUsers, usersLike } from "../data/queries";
import type { Selected } from "../data/selection";
import { clip, count, number } from "../words/numbers";
import { matching } from "../words/people";
import { flash, keyed, say } from "./keyed";
import { choices, empty, failure, skeletons } from "./panel";

export function people(db: Db, selected: Selected, names: Names): HTMLElement {
  const search = el("input", {
    type: "search",
    class: "input",
    placeholder: "Name or uid",
    id: "author-search",
    autocomplete: "off",
    aria: { label: "Search authors by name or uid" },
  });
  const list = el("ul", { class: "choices" });
  const state = el("div", {}, skeletons(5));
  const node = el("div", { class: "rail" }, search, choices("Authors", state, list));

  const known = { indexed: [] as Person[], some: [] as Person[], found: [] as Person[] };
  const answers = new Set<string>();
  const rows = keyed<Person>(
    list,
    (p) => p.id,
    (p) => row(p, () => selected.choose({ author: p.id })),
  );

  const show = () => {
    const all = new Map([...known.found, ...known.some, ...known.indexed].map((p) => [p.id, p]));
    const shown = matching([...all.values()], search.value);
    rows(shown);
    mark();
    if (answers.size < 2 && shown.length === 0) return;
    if (shown.length > 0) fill(state);
    else if (search.value) fill(state, empty("Nobody", "No name and no uid is like that."));
    else fill(state, empty("No accounts yet", "The Play menu, above, makes some. Or sign up in the app."));
  };
  const mark = () => {
    for (const button of list.querySelectorAll("button")) button.setAttribute("aria-current", String(button.dataset["id"] === selected.now.author));
  };
  for (const [name, query] of [
    ["indexed", mostIndexed(db)],
    ["some", someUsers(db)],
  ] as const) {
    live(query, person, (now) => {
      if (now.state === "failed") return fill(state, failure("The accounts cannot be read.", now.why));
      if (now.state !== "ready") return;
      answers.add(name);
      known[name] = now.value;
      for (const p of now.value) names.learn(p.id, p.name);
      show();
    });
  }
  let asked = 0;
  search.addEventListener("input", async () => {
    show();
    const text = search.value.trim(),
      mine = ++asked;
    if (text === "") return;
    const answers = await usersLike(db, text).catch(() => []);
    if (mine !== asked) return; // another text was typed meanwhile
    known.found = answers.map((d) => person(d.id, d.data()));
    show();
  });
  selected.follow(mark);
  return node;
}

function row(first: Person, choose: () => void) {
  const name = el("span", { class: "name" }),
    id = el("code", { class: "muted" }),
    indexes = el("span", { class: "badge" });
  const button = el(
    "button",
    { type: "button", class: "choice", title: first.id, data: { id: first.id }, on: { click: choose } },
    el("span", { class: "grow stacked" }, name, id),
    isGroup(first.id) && el("span", { class: "badge accent" }, "Group"),
    indexes,
  );
  const node = el("li", {}, button);
  return {
    node,
    update(p: Person) {
      const n = p.indexIds.length;
      if (indexes.textContent && indexes.textContent !== number(n)) flash(button);
      say(name, isolatedText(clip(p.name || p.id, 22)));
      say(id, p.name ? isolatedText(clip(p.id, 20)) : "no profile");
      say(indexes, number(n));
      indexes.hidden = n === 0;
      indexes.setAttribute("aria-label", count(n, "index document"));
      indexes.setAttribute("role", "img");
    },
  };
}
