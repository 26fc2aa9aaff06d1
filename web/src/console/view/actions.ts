/** Panel of actions: a line for each action, with its costs. */
import { el, fill } from "../../shared/dom";
import { type Action, totals } from "../data/actions";
import type { Db } from "../data/connect";
import type { Names } from "../data/names";
import { cost, sentence } from "../words/action";
import { number, share } from "../words/numbers";
import { keyed, type Row, say } from "./keyed";
import { empty, panel, type Panel, scroller, skeletons } from "./panel";
import { when } from "./when";

const mostShown = 50;
const kinds = ["reads", "writes", "deletes"] as const;

export interface ActionsPanel extends Panel {
  action(a: Action): void;
  /** Draws again, because a name has become known. */
  redraw(): void;
  connected(is: boolean): void;
}

export function actionsPanel(db: Db, names: Names): ActionsPanel {
  const sums = new Map(([...kinds, "invocations"] as const).map((kind) => [kind, el("dd", { class: "figure" }, "–")]));
  const figures = el(
    "dl",
    { class: "totals", aria: { label: "Totals of this session" } },
    ...[...sums].map(([kind, dd]) => el("div", {}, el("dt", {}, el("span", { class: `swatch ${kind}`, aria: { hidden: "true" } }), kind), dd)),
  );
  const list = el("ol", { class: "actions-list" }),
    state = el("div", {}, skeletons(4, "block"));
  const lost = el(
    "p",
    { class: "lost", role: "status", hidden: true },
    "The dev server has ended. Start it again with ",
    el("code", {}, "relationindex dev"),
    ".",
  );
  const node = panel("actions", "Actions", lost, figures, scroller("List of actions", list, state));
  const all = new Map<number, Action>();
  let most = 1,
    reached = false;
  const show = keyed<Action>(
    list,
    (a) => a.id,
    () =>
      row(
        (a) => sentence(a, db.collections, names),
        () => most,
      ),
  );

  const draw = () => {
    const newest = [...all.values()].sort((a, b) => b.id - a.id).slice(0, mostShown);
    most = Math.max(1, ...newest.flatMap((a) => kinds.map((kind) => a[kind])));
    if (reached) fill(state, newest.length === 0 && empty("Nothing has happened yet", "Follow, post or edit: in the app, or from the Play menu above."));
    show(newest);
    const sum = totals(all.values());
    for (const [kind, dd] of sums) say(dd, reached ? number(sum[kind]) : "–");
    say(node.summary, all.size === 0 ? "" : `${number(all.size)} this session`);
  };
  return {
    ...node,
    action(a) {
      // A new process of dev at the same address counts from 1 again.
      if (all.has(a.id) && all.get(a.id)?.at.getTime() !== a.at.getTime()) all.clear();
      all.set(a.id, a);
      reached = true;
      draw();
    },
    redraw: draw,
    connected(is) {
      lost.hidden = is;
      if (is && !reached) {
        reached = true;
        draw();
      } else if (!is && !reached) fill(state);
    },
  };
}

function row(words: (a: Action) => string, most: () => number): Row<Action> {
  const what = el("span", { class: "what" }),
    price = el("span", { class: "price" }),
    at = when();
  const bars = kinds.map((kind) => el("span", { class: kind }));
  const node = el(
    "li",
    { class: "action" },
    el("p", { class: "line" }, what, el("span", { class: "visually-hidden" }, " — "), price),
    at.node,
    el("div", { class: "cost-bars", aria: { hidden: "true" } }, ...bars),
  );
  return {
    node,
    update(a) {
      node.classList.toggle("growing", !a.done);
      node.title = a.what.map((c) => `${c.document} ${c.change}`).join("\n");
      say(what, words(a));
      say(price, cost(a));
      at.show(a.at);
      kinds.forEach((kind, n) => {
        const bar = bars[n]!;
        bar.style.width = `${share(a[kind], most()) * 100}%`;
        bar.classList.toggle("none", a[kind] === 0);
      });
    },
  };
}
