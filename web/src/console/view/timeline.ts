/** Panel of timelines: a list of readers to choose from, and the timeline of the chosen reader. */
import { isGroup, isolatedText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Db } from "../data/connect";
import { live, type Stop } from "../data/live";
import type { Names } from "../data/names";
import { readersOf } from "../data/queries";
import type { Selected } from "../data/selection";
import { type Timeline, watchTimeline } from "../data/timeline";
import { clip, count } from "../words/numbers";
import { type Part, parts, summary } from "../words/timeline";
import { keyed, say } from "./keyed";
import { choices, empty, failure, panel, type Panel, scroller, skeletons } from "./panel";
import { partRow } from "./part";

export interface TimelinePanel extends Panel {
  /** Draws again, because a name has become known. */
  redraw(): void;
}

export function timelinePanel(db: Db, selected: Selected, names: Names): TimelinePanel {
  const list = el("ul", { class: "choices" }),
    listState = el("div", {}),
    state = el("div", {}),
    rest = el("p", { class: "small muted rest" });
  const title = el("h3", {}),
    sum = el("span", { class: "small muted" }),
    body = el("ul", { class: "parts" });
  const detail = el(
    "div",
    { class: "detail" },
    el("div", { class: "row wrap detail-head" }, title, sum),
    scroller("Entries of the timeline", body, rest, state),
  );
  const node = panel("timeline", "Timeline", el("div", { class: "rail" }, choices("Readers", list, listState)), detail);
  const choose = (reader: string) => selected.choose({ ...selected.now, reader });
  const showReaders = keyed<string>(
    list,
    (id) => id,
    (id) => readerRow(id, names, () => choose(id)),
  );
  const showParts = keyed<Part>(
    body,
    (p) => p.id,
    (p) => partRow(names, p, p.id === top),
  );

  let author: string | undefined,
    reader: string | undefined,
    followers: string[] = [],
    now: Timeline | undefined,
    top: string | undefined;
  let stopFollowers: Stop = () => {},
    stop: Stop = () => {};
  const drawReaders = () => {
    const own = author && !isGroup(author) ? [author] : [];
    const known = [...own, ...followers],
      chosen = selected.now.reader;
    showReaders([...new Set(chosen === "" || known.includes(chosen) ? known : [chosen, ...known])]);
    for (const button of list.querySelectorAll("button")) button.setAttribute("aria-current", String(button.dataset["id"] === chosen));
  };
  const draw = () => {
    say(title, reader ? `Timeline of ${names.person(reader)}` : "");
    title.title = reader ?? "";
    const shown = now?.documents ?? [],
      more = (now?.count ?? 0) - shown.length;
    const all = parts(shown);
    top = all[0]?.id;
    showParts(all);
    say(sum, summary(shown));
    say(rest, more > 0 ? `… and ${count(more, "more document")}` : "");
    say(node.summary, now ? count(now.count, "document") : "");
    if (now) fill(state, shown.length === 0 && more <= 0 && empty("Nothing yet", "A post of somebody whom the reader follows is the first entry."));
  };
  const openFollowers = (of: string) => {
    stopFollowers();
    followers = [];
    fill(listState);
    if (of === "") return;
    stopFollowers = live(
      readersOf(db, of),
      (id) => id,
      (found) => {
        if (found.state === "failed") return fill(listState, failure("The followers cannot be read.", found.why));
        if (found.state !== "ready") return;
        followers = found.value;
        if (selected.now.reader === "" && followers[0]) choose(followers[0]);
        else drawReaders();
      },
    );
  };
  const open = (id: string) => {
    stop();
    now = undefined;
    draw();
    if (id === "") return fill(state, empty("No reader chosen", "The newest followers of the chosen author are offered, and the author."));
    fill(state, skeletons(4));
    stop = watchTimeline(db, id, (found) => {
      if (found.state === "failed") return fill(state, failure("The timeline cannot be read.", found.why));
      if (found.state !== "ready") return;
      now = found.value;
      draw();
    });
  };
  selected.follow((to) => {
    if (to.author !== author) openFollowers((author = to.author));
    if (to.reader !== reader) open((reader = to.reader));
    drawReaders();
  });
  return {
    ...node,
    redraw() {
      drawReaders();
      draw();
    },
  };
}

function readerRow(id: string, names: Names, choose: () => void) {
  const name = el("span", { class: "name" }),
    uid = el("code", { class: "muted" }, isolatedText(clip(id, 20)));
  const node = el(
    "li",
    {},
    el("button", { type: "button", class: "choice", title: id, data: { id }, on: { click: choose } }, el("span", { class: "grow stacked" }, name, uid)),
  );
  return {
    node,
    update() {
      say(name, names.person(id, 22));
    },
  };
}
