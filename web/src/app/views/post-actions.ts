/** What can be done to a post: by its author, and by a moderator. */
import { deletePost, editPost, hidePost, judgePost, maxText, type Post, say } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { confirmIn } from "./confirm";
import { wrote } from "./refresh";
import { announce } from "./say";
import { writeForm } from "./write";

export interface Actions {
  node: HTMLElement;
  update(post: Post): void;
}

const button = (label: string, click: () => void) => el("button", { type: "button", class: "button small quiet", on: { click } }, label);

/** An own post with more, Edit, Hide from everyone and Delete below it; a form in its place while it is edited. */
export function ownActions(context: Context, first: Post, content: HTMLElement, more: HTMLElement[]): Actions {
  let post = first;
  const actions = el("div", { class: "post-actions row wrap" });
  const node = el("div", { class: "post-body" }, content, actions);

  const place = `edit/${first.id}`;
  const drop = () => context.drafts.keep(place, { text: "" });

  const edit = () => {
    const close = () => {
      fill(node, content, actions);
      name();
      editButton.focus();
    };
    const form = writeForm({
      label: "Edit the post",
      placeholder: "",
      button: "Save",
      text: () => context.drafts.get(place)?.text ?? post.text,
      changed: (text) => context.drafts.keep(place, { text: text === post.text ? "" : text }),
      cancel: () => (drop(), close()),
      send: (changed) => {
        close();
        // A crash right after it: the change is in this device's cache, and is sent when the page is opened again.
        if (changed !== post.text) editPost(context.db, post, changed).then(() => wrote(context), (error: unknown) => giveBack(changed, `Not saved. ${say(error)}`));
      },
    });
    fill(node, form.node);
    return form;
  };
  /** What was refused is in the form again, and among the drafts for who has gone on meanwhile. */
  const giveBack = (text: string, reason: string) => {
    context.drafts.keep(place, { text });
    name();
    if (node.isConnected && content.isConnected) edit().giveBack(text, reason);
    else announce(`${reason} Your text is kept.`, true);
  };
  const remove = () => {
    drop();
    deletePost(context.db, post.id).then(() => (wrote(context), announce("Deleted.")), (error: unknown) => announce(`Not deleted. ${say(error)}`, true));
  };

  const editButton = button("Edit", () => edit().field.focus());
  const name = () => (editButton.textContent = context.drafts.get(place) ? "Edit draft" : "Edit");
  const hide = hideButton(context, first, hidePost, (now) => !now.judged, own);
  actions.append(...more, editButton, hide.node, button("Delete", () => confirmIn(actions, "Delete this post?", "Delete", remove)));
  return {
    node,
    update(next) {
      post = next;
      name();
      hide.update(next);
      editButton.disabled = post.text.length > maxText;
      editButton.title = editButton.disabled ? "Too long to be edited here" : "";
    },
  };
}

/** The post of somebody else, with more below it, and Take down for a moderator. */
export function moderatorActions(context: Context, first: Post, content: HTMLElement, more: HTMLElement[]): Actions {
  const actions = el("div", { class: "post-actions row wrap" }, ...more);
  const node = el("div", { class: "post-body" }, content, actions);
  const hide = hideButton(context, first, judgePost, (now) => now.judged || !now.hidden, moderators);
  void context.moderator.then((yes) => yes && actions.append(hide.node));
  return { node, update: hide.update };
}

/** What hiding a post is called, and what is said of it: by its author, and by a moderator. */
interface HideWords {
  hide: string;
  show: string;
  hidden: string;
  shown: string;
}

const own: HideWords = { hide: "Hide from everyone", show: "Show again", hidden: "Hidden from everyone: it is in no feed.", shown: "Shown again." };
const moderators: HideWords = { hide: "Take down", show: "Show again", hidden: "Taken down: it is in no feed.", shown: "Shown again." };

/** While it may be pressed: a moderator does not see a post in a feed any more once it is hidden, but on its author's or its group's page. */
function hideButton(context: Context, first: Post, write: typeof hidePost, may: (post: Post) => boolean, words: HideWords): Actions {
  let { hidden } = first;
  const toggle = () => {
    const next = !hidden;
    write(context.db, first.id, next).then(
      () => (wrote(context), announce(next ? words.hidden : words.shown)),
      (error: unknown) => announce(`Not changed. ${say(error)}`, true),
    );
  };
  const node = button(words.hide, toggle);
  return {
    node,
    update(post) {
      hidden = post.hidden;
      node.textContent = hidden ? words.show : words.hide;
      node.disabled = !may(post);
    },
  };
}
