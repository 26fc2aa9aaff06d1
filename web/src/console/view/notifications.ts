/** Newest notifications of the chosen account, as they are stored. */
import { isolatedText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Db } from "../data/connect";
import { type Notification, notification } from "../data/documents";
import { live, type Stop } from "../data/live";
import type { Names } from "../data/names";
import { notificationsOf } from "../data/queries";
import { clip, number } from "../words/numbers";
import { keyed, say } from "./keyed";
import { failure, scroller } from "./panel";
import { when } from "./when";

export interface Notifications {
  node: HTMLElement;
  /** Shows the notifications of an account; "" shows none. */
  open(account: string): void;
  /** Draws again, because a name has become known. */
  redraw(): void;
}

export function notifications(db: Db, names: Names): Notifications {
  const rows = el("tbody"),
    state = el("div", {});
  const head = el("thead", {}, el("tr", {}, ...["Notification", "Count", "By", "At"].map((name) => el("th", { scope: "col" }, name))));
  const table = el("table", { class: "notifications", hidden: true }, head, rows);
  const show = keyed<Notification>(
    rows,
    (one) => one.id,
    (one) => row(one, names),
  );
  let shown: Notification[] = [],
    stop: Stop = () => {};
  const draw = (next: Notification[]) => {
    show((shown = next));
    table.hidden = next.length === 0;
  };
  return {
    node: scroller("Notifications", table, state),
    open(account) {
      stop();
      draw([]);
      fill(state);
      if (account === "") return;
      stop = live(notificationsOf(db, account), notification, (now) => {
        if (now.state === "failed") return fill(state, failure("The notifications cannot be read.", now.why));
        if (now.state !== "ready") return;
        fill(state, now.value.length === 0 && el("p", { class: "small muted rest" }, "No notifications."));
        draw(now.value);
      });
    },
    redraw: () => show(shown),
  };
}

function row(first: Notification, names: Names) {
  const figure = el("td", { class: "figure" }),
    by = el("td", { class: "by" }),
    at = when();
  const node = el(
    "tr",
    { class: "opens" },
    el("th", { scope: "row", title: first.id }, el("code", {}, isolatedText(clip(first.id, 24)))),
    figure,
    by,
    el("td", {}, at.node),
  );
  return {
    node,
    update(one: Notification) {
      say(figure, number(one.count));
      say(by, one.actors.map((id) => names.person(id)).join(", "));
      by.title = one.actors.join("\n");
      at.show(one.at);
    },
  };
}
