/** Table of a post's relations. A row shows the audience and the version of the index document that a relation copies. */
import { isolatedText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Db } from "../data/connect";
import { directIndex, type Relation, relation } from "../data/documents";
import { counter, live, type Stop } from "../data/live";
import type { Names } from "../data/names";
import { relationsOf } from "../data/queries";
import { bytes, clip, count, number, version } from "../words/numbers";
import type { Versions } from "./author";
import { meter } from "./bar";
import { flash, keyed, say } from "./keyed";
import { empty, failure, scroller, skeletons } from "./panel";

export interface Relations {
  node: HTMLElement;
  /** Shows the relations of a post; "" shows none. account is the owner of the index documents that compare receives. */
  open(account: string, post: string): void;
  compare(now: Versions): void;
  redraw(): void;
}

export function relations(db: Db, names: Names): Relations {
  const title = el("h3", {}),
    summary = el("span", { class: "small muted" }),
    state = el("div", {}),
    rest = el("p", { class: "small muted rest" });
  const rows = el("tbody");
  const table = el(
    "table",
    { class: "relations" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        ...["Index", "Followers", "Version", "Bytes", "Audience"].map((name) => el("th", { scope: "col", colSpan: name === "Followers" ? 2 : 1 }, name)),
      ),
    ),
    rows,
  );
  const node = el("div", { class: "detail" }, el("div", { class: "row wrap detail-head" }, title, summary), scroller("Relations", table, rest, state));

  let versions: Versions = new Map(),
    shown: Relation[] = [],
    account = "",
    post: string | undefined,
    stop: Stop = () => {},
    total = 0;
  // Index documents of other accounts have the same ids. A relation of an earlier release copies one of the author's.
  const newestOf = (r: Relation) => (r.indexId !== directIndex && (r.audience || account) === account ? versions.get(r.indexId)?.version : undefined);
  const put = keyed<Relation>(
    rows,
    (r) => r.id,
    (r) => row(db, r, newestOf, names),
  );
  const show = () => {
    total = Math.max(total, shown.length);
    put(shown);
    table.hidden = shown.length === 0;
    const stale = shown.filter((r) => r.indexVersion < (newestOf(r) ?? 0)).length;
    say(summary, shown.length === 0 ? "" : `${count(total, "relation")}${stale > 0 ? `, ${number(stale)} stale` : ""}`);
    say(rest, total > shown.length ? `… and ${number(total - shown.length)} more` : "");
  };
  return {
    node,
    open(whose, id) {
      account = whose;
      if (id === post) return;
      post = id;
      stop();
      shown = [];
      total = 0;
      show();
      say(title, id === "" ? "" : `Relations of ${isolatedText(clip(id, 16))}`);
      title.title = id;
      if (id === "") return fill(state, empty("No post chosen", "Choose a post to see its relations."));
      fill(state, skeletons(3));
      const { newest, all } = relationsOf(db, id);
      const counted = counter(all, (n) => {
        total = n;
        show();
      });
      const stopLive = live(newest, relation, (now) => {
        if (now.state === "failed") return fill(state, failure("The relations cannot be read.", now.why));
        if (now.state !== "ready") return;
        shown = now.value;
        total = 0;
        fill(
          state,
          shown.length === 0 &&
            empty(
              "No relations yet",
              "A post has one for each index document of its audience, and one for the people that it names. A job may still be writing them: see Jobs. A hidden post has none.",
            ),
        );
        show();
        counted.again();
      });
      stop = () => {
        stopLive();
        counted.stop();
      };
    },
    compare(now) {
      versions = now;
      show();
    },
    redraw: show,
  };
}

function row(db: Db, first: Relation, newestOf: (r: Relation) => number | undefined, names: Names) {
  const direct = first.indexId === directIndex;
  const bar = meter(`Followers in the relation of index document ${isolatedText(first.indexId)}`);
  const followers = el("td", { class: "figure" }),
    versioned = el("td", { class: "figure" }),
    size = el("td", { class: "figure" }),
    audience = el("td", { class: "audience muted" });
  const node = el(
    "tr",
    { class: "opens", data: { index: first.indexId } },
    el("th", { scope: "row", title: first.id }, el("code", {}, direct ? "direct" : isolatedText(clip(first.indexId, 12)))),
    el("td", { class: "fills" }, bar.node),
    followers,
    versioned,
    size,
    audience,
  );
  let was = first.indexVersion;
  return {
    node,
    update(r: Relation) {
      const newest = newestOf(r),
        stale = newest !== undefined && r.indexVersion < newest;
      bar.show(r.followers, db.capacity, `${number(r.followers)} of ${number(db.capacity)}`);
      say(followers, number(r.followers));
      node.classList.toggle("stale", stale);
      fill(
        versioned,
        stale
          ? el(
              "span",
              { class: "badge warn", title: "Stale: its index document has a newer version" },
              `${version(r.indexVersion)} of ${version(newest).slice(2)}`,
            )
          : version(r.indexVersion),
      );
      versioned.title = number(r.indexVersion);
      say(size, bytes(r.sizeBytes));
      say(audience, direct ? "people named" : r.audience === "" ? "not said" : names.person(r.audience));
      audience.title = r.audience;
      if (r.indexVersion !== was) flash(node);
      was = r.indexVersion;
    },
  };
}
