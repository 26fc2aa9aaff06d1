/** Comments of a post: a button opens the newest comments, with a form below. Nothing is read before the button is pressed. */
import { type Comment, deleteComment, maxComment, type Post, say, watchComments, writeComment } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { plain } from "../../shared/theirs";
import type { Context } from "../context";
import { href } from "../routes";
import { confirmIn } from "./confirm";
import { disclosure, type Disclosure } from "./disclosure";
import { partsOf } from "./links";
import { loading } from "./loading";
import { Rows, type Row } from "./rows";
import { announce } from "./say";
import { nodesOf } from "./text";
import { timeOf } from "./time";
import { writeForm } from "./write";
import { nameOf, sendingText } from "./words";

export function comments(context: Context, post: Post): Disclosure {
  return disclosure("Comments", "comments", () => {
    const list = el("ul", { class: "stack", aria: { label: "Comments" } });
    const state = loading();
    const rows = new Rows<Comment>(list, (comment) => commentRow(context, post, comment));
    const stop = watchComments(context.db, post, (all) => {
      rows.show(all);
      fill(state, all.length === 0 && "No comments yet.");
    }, (error) => fill(state, say(error)));
    const place = `comment/${post.id}`;
    const form = writeForm({
      label: "Write a comment",
      placeholder: "Say something about it",
      button: "Comment",
      longest: maxComment,
      rows: 1,
      text: () => context.drafts.get(place)?.text ?? "",
      changed: (text) => context.drafts.keep(place, { text }),
      send: (text) => {
        writeComment(context.db, post, context.me.uid, text).catch((error: unknown) => form.giveBack(text, `Not sent. ${say(error)}`));
      },
    });
    return {
      node: el("div", { class: "stack" }, state, list, form.node),
      close() {
        stop();
        rows.close();
      },
    };
  });
}

function commentRow(context: Context, post: Post, first: Comment): Row<Comment> {
  const { db, me } = context;
  const name = el("a", { class: "name", href: href({ to: "profile", uid: first.userId }) }, "\u00a0");
  const when = el("span", { class: "muted small" });
  const text = el("p", { class: "post-text", dir: "auto" });
  text.append(...nodesOf(partsOf(first.text))); // the text of a comment never changes
  const actions = el("div", { class: "row" });
  void nameOf(context.names, first.userId).then((known) => {
    fill(name, known);
    remove.setAttribute("aria-label", plain(`Delete the comment by ${known}`));
  });

  const remove = el("button", { type: "button", class: "button small quiet" }, "Delete");
  remove.addEventListener("click", () => confirmIn(actions, "Delete this comment?", "Delete", () => {
    deleteComment(db, post.id, first.id).catch((error: unknown) => announce(`Not deleted. ${say(error)}`, true));
  }));
  const mine = [first.userId, post.userId].includes(me.uid);
  if (mine) actions.append(remove);
  else void context.moderator.then((yes) => yes && actions.append(remove));

  const update = (comment: Comment) => {
    if (comment.sending) fill(when, el("span", { class: "badge warn" }, sendingText(context.offline.get())));
    else fill(when, timeOf(comment.createdAt));
  };
  update(first);
  return { node: el("li", { class: "comment" }, el("div", { class: "row wrap" }, name, when), text, actions), update, close: () => {} };
}
