/** Row that shows a part of a timeline: a bucket, a day or items, with the entries. */
import { isolatedText } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Names } from "../data/names";
import type { Entry } from "../data/timeline";
import { clip, count, number } from "../words/numbers";
import type { Part } from "../words/timeline";
import { meter } from "./bar";
import { flash, keyed, type Row, say } from "./keyed";
import { when } from "./when";

/** The most entries of a part that are shown. */
const mostEntries = 50;

/** open says whether the entries are unfolded at first. */
export function partRow(names: Names, first: Part, open: boolean): Row<Part> {
  const name = el("code", { title: first.name }, isolatedText(clip(first.name, 24))),
    about = el("span", { class: "small muted" }),
    slot = el("span", { class: "badge" }),
    figure = el("span", { class: "small figure" });
  const bar = meter(`Entries in ${isolatedText(first.name)}`);
  const list = el("ol", { class: "entries" }),
    rest = el("p", { class: "small muted rest" });
  const show = keyed<Entry>(
    list,
    (e) => e.post,
    () => entryRow(names),
  );
  const filled = el("span", { class: "row filled" }, bar.node, slot);
  const head = el("summary", { class: "row wrap" }, name, about, figure, filled);
  const details = el("details", { open, data: { id: first.id } }, head, list, rest);
  let now: Part | undefined, was: number | undefined;
  // Folded entries have no elements, because a bucket may have a thousand entries.
  const draw = () => show(details.open && now ? now.entries.slice(0, mostEntries) : []);
  details.addEventListener("toggle", draw);
  return {
    node: el("li", { class: "part opens" }, details),
    update(p) {
      now = p;
      const n = p.entries.length,
        text = p.most > 0 ? `${number(n)} of ${number(p.most)}` : count(n, "entry", "entries");
      say(about, p.about);
      say(slot, p.slot);
      slot.hidden = p.slot === "";
      slot.className = `badge ${p.slot === "newest" ? "accent" : "warn"}`;
      bar.node.hidden = p.most === 0;
      filled.hidden = bar.node.hidden && slot.hidden;
      bar.show(n, p.most, text);
      say(figure, text);
      draw();
      say(rest, n > mostEntries ? `… and ${number(n - mostEntries)} more` : "");
      if (was !== undefined && was !== n) flash(head);
      was = n;
    },
  };
}

function entryRow(names: Names): Row<Entry> {
  const who = el("span", { class: "name" }),
    post = el("code", { class: "muted" }),
    kind = el("span", { class: "badge" }),
    at = when();
  return {
    node: el("li", { class: "entry opens" }, who, kind, post, at.node),
    update(e) {
      const author = e.author === "" ? "no author" : names.person(e.author);
      const to = e.audience === e.author ? "" : e.audience === "" ? "to the reader" : `in ${names.person(e.audience)}`;
      say(who, [author, to].filter(Boolean).join(", "));
      who.title = [e.author, e.audience].filter(Boolean).join("\n");
      say(kind, isolatedText(clip(e.kind, 12)));
      kind.hidden = e.kind === "";
      say(post, isolatedText(clip(e.post, 16)));
      post.title = e.post;
      at.show(e.at);
    },
  };
}
