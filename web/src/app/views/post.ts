/** A post as a row of a list, with what its author can do to it. */
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { say } from "../data/errors";
import { nobody } from "../data/people";
import { deletePost, editPost, maxText, type Post } from "../data/posts";
import { href } from "../routes";
import { avatar } from "./avatar";
import { confirmIn } from "./confirm";
import type { Row } from "./rows";
import { announce } from "./say";
import { clampedText } from "./text";
import { timeOf } from "./time";
import { writeForm } from "./write";

/** A list's item that holds a post. */
export interface PostItem {
  id: string;
  post: Post;
}

export function postRow(context: Context, { post: first }: PostItem): Row<PostItem> {
  const face = avatar(first.userId);
  const name = el("a", { class: "name", href: href({ to: "profile", uid: first.userId }) }, "\u00a0");
  const when = el("span", { class: "muted small when" });
  const text = clampedText(first.text);
  const mine = first.userId === context.me.uid ? ownActions(context, first, text.node) : undefined;
  const article = el("article", { class: "post" }, face.node, el("header", {}, name, when), mine?.node ?? el("div", { class: "post-body" }, text.node));

  void context.names.get(first.userId).catch(() => nobody).then((known) => {
    name.textContent = known;
    face.rename(known);
  });

  const update = ({ post }: PostItem) => {
    text.update(post.text);
    mine?.update(post);
    article.classList.toggle("sending", post.sending);
    if (post.sending) fill(when, el("span", { class: "badge warn" }, "Sending…"));
    else fill(when, timeOf(post.createdAt), post.edited && " · edited");
  };
  update({ id: first.id, post: first });
  return { node: el("li", {}, article), update, close: () => {} };
}

/** The text of an own post, with Edit and Delete below it; a form in its place while it is edited. */
function ownActions(context: Context, first: Post, text: HTMLElement): { node: HTMLElement; update(post: Post): void } {
  let post = first;
  const actions = el("div", { class: "post-actions row" });
  const node = el("div", { class: "post-body" }, text, actions);

  const edit = () => {
    const close = () => {
      fill(node, text, actions);
      editButton.focus();
    };
    const form = writeForm({
      label: "Edit the post",
      placeholder: "",
      button: "Save",
      text: post.text,
      cancel: close,
      send: (changed) => {
        close();
        // A crash right after it: the change is in this device's cache, and is sent when the page is opened again.
        if (changed !== post.text) editPost(context.db, post.id, changed).catch((error: unknown) => announce(`Not saved. ${say(error)}`, true));
      },
    });
    fill(node, form.node);
    form.field.focus();
  };
  const remove = () => {
    deletePost(context.db, post.id).then(() => announce("Deleted."), (error: unknown) => announce(`Not deleted. ${say(error)}`, true));
  };

  const editButton = el("button", { type: "button", class: "button small quiet", on: { click: edit } }, "Edit");
  const deleteButton = el("button", { type: "button", class: "button small quiet", on: { click: () => confirmIn(actions, "Delete this post?", "Delete", remove) } }, "Delete");
  actions.append(editButton, deleteButton);
  return {
    node,
    update(next) {
      post = next;
      editButton.disabled = post.text.length > maxText;
      editButton.title = editButton.disabled ? "Too long to be edited here" : "";
    },
  };
}

/** In the size of a post of two lines. */
export function postSkeleton(): HTMLElement {
  const bar = (width: string) => el("span", { class: "skeleton text-bar", style: { width } });
  return el("div", { class: "post" }, el("span", { class: "avatar skeleton" }), el("div", { class: "header" }, bar("9em"), bar("5em")), el("div", { class: "post-body" }, bar("96%"), bar("64%")));
}
