/**
 * Comments of a post: a button opens the newest comments, with a button for earlier ones above and a form below. Nothing is read
 * before the button is pressed.
 */
import { type Comment, comments as commentsOf, deleteComment, errorMessage, maxComment, Paged, type Post, writeComment } from "relationindex-client";
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
    const all = new Paged(commentsOf(context.me, post));
    const earlier = el("button", { type: "button", class: "button small quiet", on: { click: () => void all.loadMore() } });
    const rows = new Rows<Comment>(list, (comment) => commentRow(context, post, comment));
    all.subscribe(({ items, status, error, more, loadingMore, moreError }) => {
      rows.show(items.toReversed()); // the newest is beside the form
      const problem = error ?? moreError;
      fill(state, problem ? errorMessage(problem) : status === "loading" ? "Loading…" : items.length === 0 && "No comments yet.");
      if (!more && document.activeElement === earlier) list.querySelector("a")?.focus({ preventScroll: true });
      earlier.hidden = !more;
      fill(earlier, loadingMore ? "Loading…" : "Show earlier comments");
    });
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
        writeComment(context.me, post, text).catch((error: unknown) => form.giveBack(text, `Not sent. ${errorMessage(error)}`));
      },
    });
    return {
      node: el("div", { class: "stack" }, state, earlier, list, form.node),
      close() {
        all.close();
        rows.close();
      },
    };
  });
}

function commentRow(context: Context, post: Post, first: Comment): Row<Comment> {
  const { me } = context;
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
  remove.addEventListener("click", () =>
    confirmIn(actions, "Delete this comment?", "Delete", () => {
      deleteComment(me, first).catch((error: unknown) => announce(`Not deleted. ${errorMessage(error)}`, true));
    }),
  );
  const mine = [first.userId, post.userId].includes(me.id);
  if (mine) actions.append(remove);
  else void context.moderator.then((yes) => yes && actions.append(remove));

  const update = (comment: Comment) => {
    if (comment.sending) fill(when, el("span", { class: "badge warn" }, sendingText(context.offline.get())));
    else fill(when, timeOf(comment.createdAt));
  };
  update(first);
  return { node: el("li", { class: "comment" }, el("div", { class: "row wrap" }, name, when), text, actions), update, close: () => {} };
}
