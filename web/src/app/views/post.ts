/** A post as a row of a list. */
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { nobody } from "../data/people";
import type { Post } from "../data/posts";
import { href } from "../routes";
import { avatar } from "./avatar";
import { moderatorActions, ownActions } from "./post-actions";
import { aboutLine, readersLine } from "./post-lines";
import type { Row } from "./rows";
import { clampedText } from "./text";
import { timeOf } from "./time";

/** A list's item that holds a post. */
export interface PostItem {
  id: string;
  post: Post;
}

export function postRow(context: Context, { post: first }: PostItem): Row<PostItem> {
  const face = avatar(first.userId);
  const name = el("a", { class: "name", href: href({ to: "profile", uid: first.userId }) }, "\u00a0");
  const when = el("span", { class: "muted small when" });
  const hidden = el("span", { class: "badge warn" }, "Hidden");
  const text = clampedText(first.text);
  const readers = readersLine(context);
  const about = aboutLine(context);
  const content = el("div", {}, text.node, about.node);
  const actions = first.userId === context.me.uid ? ownActions(context, first, content) : moderatorActions(context, first, content);
  const article = el("article", { class: "post" }, face.node, el("header", {}, name, when, hidden, readers.node), actions.node);

  void context.names.get(first.userId).catch(() => nobody).then((known) => {
    name.textContent = known;
    face.rename(known);
  });

  const update = ({ post }: PostItem) => {
    text.update(post.text);
    readers.update(post);
    about.update(post.refs);
    actions.update(post);
    hidden.hidden = !post.hidden;
    article.classList.toggle("sending", post.sending);
    if (post.sending) fill(when, el("span", { class: "badge warn" }, "Sending…"));
    else fill(when, timeOf(post.createdAt), post.edited && " · edited");
  };
  update({ id: first.id, post: first });
  return { node: el("li", {}, article), update, close: () => {} };
}

/** In the size of a post of two lines. */
export function postSkeleton(): HTMLElement {
  const bar = (width: string) => el("span", { class: "skeleton text-bar", style: { width } });
  return el("div", { class: "post" }, el("span", { class: "avatar skeleton" }), el("div", { class: "header" }, bar("9em"), bar("5em")), el("div", { class: "post-body" }, bar("96%"), bar("64%")));
}
