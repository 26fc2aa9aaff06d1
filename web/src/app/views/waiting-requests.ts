/** List of follow requests above the notifications, with buttons to answer them. It is hidden while there are none. */
import { type AccountItem, followRequests, Paged } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { href } from "../routes";
import { personRow } from "./person";
import { Rows } from "./rows";

const mostShown = 5;

/**
 * Costs a read for each of the newest 20 requests, or one if there are none. known is called when the requests are loaded, and
 * after each change.
 */
export function waitingRequests(context: Context, known: () => void): View {
  const items = el("ul", { class: "list card", aria: { label: "Requests to follow you" } });
  const more = el("a", { class: "small", href: href({ to: "people", tab: "requests" }) }, "All requests");
  const node = el(
    "section",
    { class: "stack", hidden: true, aria: { label: "Requests" } },
    el("div", { class: "row" }, el("h2", { class: "grow" }, "Requests to follow you"), more),
    items,
  );
  const rows = new Rows<AccountItem>(items, (item) => personRow(context, item, "requests"));
  const list = new Paged(followRequests(context.me));
  let answered = false; // an empty cache is an answer here: the notifications below must not wait for the network
  const stop = list.state.subscribe(({ items }) => {
    rows.show(items.slice(0, mostShown));
    more.hidden = items.length <= mostShown;
    node.hidden = items.length === 0;
    if (answered) known();
    answered = true;
  });
  return {
    node,
    close() {
      stop();
      rows.close();
      list.close();
    },
  };
}
