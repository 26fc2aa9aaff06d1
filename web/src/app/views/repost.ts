/** Row that shows a repost in a list: the accounts that reposted, and the post itself. */
import { deletePost, errorMessage, watchPost } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { href } from "../routes";
import type { Disclosure } from "./disclosure";
import { icon } from "./icons";
import type { PostItem } from "./post";
import type { Row } from "./rows";
import { announce } from "./say";
import { nameOf } from "./words";

const mostNamed = 2;

/** Costs a read of the post, and one for each change. make creates the row of the post itself. */
export function repostRow(context: Context, first: PostItem, menu: Disclosure | undefined, make: (item: PostItem) => Row<PostItem>): Row<PostItem> {
  const { me } = context;
  const names = el("span", { class: "grow" });
  const tools = el("div", { class: "row" }, first.post.userId === me.id && undo(context, first), menu?.button);
  const place = el("div", {});
  let inner: Row<PostItem> | undefined;
  let reposters = first.reposters ?? [first.post.userId];

  const stop = watchPost(
    me,
    first.post.repostOf,
    (post) => {
      if (post && post.repostOf === "") {
        const item = { id: post.id, post, reposters };
        if (inner) return inner.update(item);
        inner = make(item);
        return fill(place, inner.node.firstElementChild as HTMLElement);
      }
      inner?.close();
      inner = undefined;
      fill(place, el("p", { class: "muted not-here" }, "This post is not here"));
    },
    (error) => fill(place, el("p", { class: "muted not-here", role: "alert" }, errorMessage(error))),
  );

  let shown = "";
  const update = (item: PostItem) => {
    reposters = item.reposters ?? [item.post.userId];
    const key = JSON.stringify(reposters);
    if (key === shown) return; // an unchanged sentence stays: a link in it may have the focus
    shown = key;
    fill(names, ...sentence(context, reposters));
  };
  update(first);
  return {
    node: el("li", {}, el("div", { class: "repost" }, el("div", { class: "reposters small muted" }, icon("repost"), names, tools), menu?.panel, place)),
    update,
    close() {
      stop();
      inner?.close();
      menu?.close();
    },
  };
}

/** Returns "Ada reposted", "Ada and Bob reposted", "Ada, Bob and 1 other reposted" */
function sentence(context: Context, reposters: string[]): (Node | string)[] {
  const named = reposters.slice(0, mostNamed).map((id) => account(context, id));
  const others = reposters.length - named.length;
  const all = others > 0 ? [...named, `${others} ${others === 1 ? "other" : "others"}`] : named;
  return [...all.flatMap((one, i) => [i === 0 ? "" : i === all.length - 1 ? " and " : ", ", one]), " reposted"];
}

function account({ me, names }: Context, id: string): HTMLElement {
  const link = el("a", { class: "name", href: href({ to: "profile", uid: id }) }, id === me.id ? "You" : "\u00a0");
  if (id !== me.id) void nameOf(names, id).then((name) => fill(link, name));
  return link;
}

/** Returns the button that takes the user's repost back. */
function undo(context: Context, { id, post }: PostItem): HTMLElement {
  const run = () =>
    void deletePost(context.me, id).then(
      () => (context.reposted.delete(post.repostOf), announce("Taken back.")),
      (error: unknown) => announce(`Not taken back. ${errorMessage(error)}`, true),
    );
  return el("button", { type: "button", class: "button small quiet", aria: { label: "Take the repost back" }, on: { click: run } }, "Take back");
}
