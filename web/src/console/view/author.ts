/** Panel of authors: a list to choose from, and the chosen author's index documents as bars that fill to capacity. */
import { isGroup, isolatedText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Db } from "../data/connect";
import type { IndexDocument } from "../data/documents";
import type { Stop } from "../data/live";
import type { Names } from "../data/names";
import type { Selected } from "../data/selection";
import { watchIndexDocuments } from "../data/window";
import { bytes, clip, count, number, version } from "../words/numbers";
import { counted } from "../words/tallies";
import { meter } from "./bar";
import { flash, keyed, say } from "./keyed";
import { notifications } from "./notifications";
import { empty, failure, panel, type Panel, scroller, skeletons } from "./panel";
import { people } from "./people";

/** Index documents of the chosen author by id. The panel of posts compares relations with their versions. */
export type Versions = ReadonlyMap<string, IndexDocument>;

export interface AuthorPanel extends Panel {
  /** Draws again, because a name has become known. */
  redraw(): void;
}

/** changed is called with the shown index documents whenever they change. */
export function authorPanel(db: Db, selected: Selected, names: Names, changed: (now: Versions) => void): AuthorPanel {
  const who = el("h3", {}),
    group = el("span", { class: "badge accent", hidden: true }, "Group"),
    numbers = el("span", { class: "small muted" }),
    rest = el("p", { class: "small muted rest" }),
    state = el("div", {});
  const rows = el("tbody");
  const table = el("table", { class: "index-documents" }, columns(db), rows);
  const notes = db.notifications ? notifications(db, names) : undefined;
  const head = el("div", { class: "row wrap detail-head" }, who, group, numbers);
  const detail = el("div", { class: "detail" }, head, scroller("Index documents", table, rest, state), ...(notes ? [notes.node] : []));
  const node = panel("author", "Author", people(db, selected, names), detail);
  const show = keyed<IndexDocument>(
    rows,
    (d) => d.id,
    (d) => row(db, d),
  );

  let author: string | undefined,
    stop: Stop = () => {};
  const open = (id: string) => {
    stop();
    table.hidden = true;
    show([]);
    changed(new Map());
    say(rest, "");
    say(numbers, "");
    say(node.summary, "");
    notes?.open(id);
    if (id === "") return fill(state, empty("No author chosen", "Choose one from the list, or let the Play menu make one."));
    fill(state, skeletons(4));
    stop = watchIndexDocuments(db, id, (now) => {
      if (now.state === "failed") return fill(state, failure("The index documents cannot be read.", now.why));
      if (now.state !== "ready") return;
      const { newest, total } = now.value,
        older = total - newest.length;
      names.learn(id, now.value.author.name);
      say(who, names.person(id));
      say(numbers, counted(now.value.author.counts));
      table.hidden = newest.length === 0;
      fill(state, newest.length === 0 && empty("No followers yet", "The first follow opens an index document."));
      show(newest);
      changed(new Map(newest.map((d) => [d.id, d])));
      say(rest, older > 0 ? `… and ${number(older)} more` : "");
      const followers = newest.reduce((n, d) => n + d.count, 0);
      say(node.summary, `${count(total, "index document")}, ${count(followers, "follower")}${older > 0 ? ` in the newest ${newest.length}` : ""}`);
    });
  };
  selected.follow((now) => {
    if (now.author !== author) open(now.author);
    author = now.author;
    say(who, author ? names.person(author) : "");
    who.title = author;
    group.hidden = !isGroup(author);
  });
  return { ...node, redraw: () => notes?.redraw() };
}

function columns(db: Db): HTMLElement {
  const column = (text: string, more = "", colSpan = 1) => el("th", { scope: "col", colSpan }, text, more && el("span", { class: "wide" }, more));
  return el(
    "thead",
    {},
    el("tr", {}, column("Index"), column("Followers", ` of ${number(db.capacity)}`, 2), column("Version"), column("Bytes", ` of ${bytes(db.budgetBytes)}`)),
  );
}

function row(db: Db, first: IndexDocument) {
  const bar = meter(`Followers in index document ${isolatedText(first.id)}`);
  const followers = el("td", { class: "figure" }),
    versioned = el("td", { class: "figure" }),
    size = el("td", { class: "figure" });
  const node = el(
    "tr",
    { class: "opens", data: { index: first.id } },
    el("th", { scope: "row", title: first.id }, el("code", {}, isolatedText(clip(first.id, 12)))),
    el("td", { class: "fills" }, bar.node),
    followers,
    versioned,
    size,
  );
  let was = first.version;
  return {
    node,
    update(d: IndexDocument) {
      bar.show(d.count, db.capacity, `${number(d.count)} of ${number(db.capacity)}`);
      say(followers, number(d.count));
      say(versioned, version(d.version));
      versioned.title = number(d.version);
      say(size, bytes(d.sizeBytes));
      size.title = `${number(d.sizeBytes)} bytes of ${number(db.budgetBytes)}`;
      node.title = d.backfilled ? "" : "Not every post has its relation yet: backfill is under way.";
      if (d.version !== was) flash(node);
      was = d.version;
    },
  };
}
