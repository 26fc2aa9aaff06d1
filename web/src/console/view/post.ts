/** Panel of posts: the author's newest posts, and the relations of the chosen post. */
import { isolatedText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Db } from "../data/connect";
import { type Post, post } from "../data/documents";
import { live, type Stop } from "../data/live";
import type { Names } from "../data/names";
import { newestPosts, postsOf } from "../data/queries";
import type { Selected } from "../data/selection";
import { clip, count, number } from "../words/numbers";
import { counted } from "../words/tallies";
import type { Versions } from "./author";
import { keyed, say } from "./keyed";
import { choices, empty, failure, panel, type Panel, skeletons } from "./panel";
import { relations } from "./relations";
import { when } from "./when";

export interface PostPanel extends Panel {
  /** Receives the versions of an author's or a group's index documents. */
  compare(now: Versions): void;
  /** Draws again, because a name has become known. */
  redraw(): void;
}

export function postPanel(db: Db, selected: Selected, names: Names): PostPanel {
  const list = el("ul", { class: "choices" }),
    state = el("div", {});
  const detail = relations(db, names);
  const node = panel("post", "Post", el("div", { class: "rail" }, choices("Posts", list, state)), detail.node);
  const show = keyed<Post>(
    list,
    (p) => p.id,
    (p) => row(p, names, () => selected.choose({ author: selected.now.author, post: p.id })),
  );
  const mark = () => {
    for (const button of list.querySelectorAll("button")) button.setAttribute("aria-current", String(button.dataset["id"] === selected.now.post));
  };

  let author: string | undefined,
    shown: Post[] = [],
    stop: Stop = () => {};
  const open = (id: string) => {
    stop();
    show((shown = []));
    say(node.summary, "");
    if (id === "") return fill(state, empty("No author chosen", "Posts of the chosen author are here."));
    fill(state, skeletons(4));
    stop = live(postsOf(db, id), post, (now) => {
      if (now.state === "failed") return fill(state, failure("The posts cannot be read.", now.why));
      if (now.state !== "ready") return;
      for (const p of now.value) names.learnAuthor(p.id, p.author);
      fill(state, now.value.length === 0 && empty("No posts yet", "The Play menu lets the author post."));
      say(node.summary, now.value.length === newestPosts ? `the newest ${newestPosts}` : count(now.value.length, "post"));
      show((shown = now.value));
      const { post: chosen } = selected.now;
      if (chosen === "" && now.value[0]) selected.choose({ author: id, post: now.value[0].id });
      mark();
    });
  };
  selected.follow((now) => {
    if (now.author !== author) open(now.author);
    author = now.author;
    detail.open(now.author, now.post);
    mark();
  });
  return {
    ...node,
    compare: detail.compare,
    redraw() {
      show(shown);
      detail.redraw();
    },
  };
}

function row(first: Post, names: Names, choose: () => void) {
  const text = el("span", { class: "name" }),
    at = when(),
    id = el("code", { class: "muted" }),
    readers = el("span", { class: "small muted name" }),
    counts = el("span", { class: "small muted name" });
  const hidden = el("span", { class: "badge warn" }, "Hidden");
  const node = el(
    "li",
    {},
    el(
      "button",
      { type: "button", class: "choice", title: first.id, data: { id: first.id }, on: { click: choose } },
      el("span", { class: "grow stacked" }, text, readers, counts, el("span", { class: "row" }, id, at.node)),
      hidden,
    ),
  );
  return {
    node,
    update(p: Post) {
      say(text, isolatedText(clip(p.text || p.id, 48)));
      say(id, isolatedText(clip(p.id, 12)));
      say(readers, readersOf(p, names));
      readers.title = [p.audience, ...p.to].filter(Boolean).join("\n");
      readers.hidden = readers.textContent === "";
      say(counts, counted(p.counts));
      counts.hidden = counts.textContent === "";
      hidden.hidden = !p.hidden;
      at.show(p.createdAt);
    },
  };
}

/** Returns "in Team, to Bob and 2 more"; "" for a post to the author's followers alone. */
function readersOf(p: Post, names: Names): string {
  const [first, ...others] = p.to;
  const parts = [
    p.audience === "" && first === undefined && "to nobody",
    p.audience !== "" && p.audience !== p.author && `in ${names.person(p.audience)}`,
    first !== undefined && `to ${names.person(first)}${others.length > 0 ? ` and ${number(others.length)} more` : ""}`,
  ];
  return parts.filter(Boolean).join(", ");
}
