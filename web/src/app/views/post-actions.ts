/** Buttons that change a post: for its author, and for a moderator. */
import { deletePost, editPost, hidePost, moderatePost, maxText, type Post, errorMessage } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { confirmIn } from "./confirm";
import type { Line } from "./post-lines";
import { announce } from "./say";
import { writeForm } from "./write";

const button = (label: string, click: () => void) => el("button", { type: "button", class: "button small quiet", on: { click } }, label);

/**
 * Returns a post of the user's own. Below it are `more`, Edit, Hide from everyone and Delete. While the post is edited, a form
 * replaces it.
 */
export function ownActions(context: Context, first: Post, content: HTMLElement, more: HTMLElement[], showText: (text: string) => void): Line<Post> {
  let post = first;
  let edited: { before: string; now: string; sent: boolean } | undefined;
  /** The user's last edit, until the list has it or, once it is sent, another text than before. */
  const text = () => edited?.now ?? post.text;
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
      text: () => context.drafts.get(place)?.text ?? text(),
      changed: (typed) => context.drafts.keep(place, { text: typed === text() ? "" : typed }),
      cancel: () => (drop(), close()),
      send: (changed) => {
        close();
        if (changed === text()) return;
        const mine = { before: post.text, now: changed, sent: false };
        edited = mine;
        showText(changed);
        // After a crash right here, the change is in this device's cache. It is sent when the page is opened again.
        editPost(context.me, post, changed).then(
          () => (mine.sent = true),
          (error: unknown) => {
            if (edited === mine) edited = undefined;
            showText(text());
            giveBack(changed, `Not saved. ${errorMessage(error)}`);
          },
        );
      },
    });
    fill(node, form.node);
    return form;
  };
  /**
   * Puts a rejected change back into the form. The change is also kept as a draft, because the user may have left the page
   * meanwhile.
   */
  const giveBack = (text: string, reason: string) => {
    context.drafts.keep(place, { text });
    name();
    if (node.isConnected && content.isConnected) edit().giveBack(text, reason);
    else announce(`${reason} Your text is kept.`, true);
  };
  const remove = () => {
    drop();
    deletePost(context.me, post.id).then(
      () => announce("Deleted."),
      (error: unknown) => announce(`Not deleted. ${errorMessage(error)}`, true),
    );
  };

  const editButton = button("Edit", () => edit().field.focus());
  const name = () => (editButton.textContent = context.drafts.get(place) ? "Edit draft" : "Edit");
  const hide = hideButton(context, first, hidePost, (now) => !now.judged, own);
  actions.append(
    ...more,
    editButton,
    hide.node,
    button("Delete", () => confirmIn(actions, "Delete this post?", "Delete", remove)),
  );
  return {
    node,
    update(next) {
      post = next;
      if (edited && (post.text === edited.now || (edited.sent && post.text !== edited.before))) edited = undefined;
      showText(text());
      name();
      hide.update(next);
      editButton.disabled = post.text.length > maxText;
      editButton.title = editButton.disabled ? "Too long to be edited here" : "";
    },
  };
}

/** Returns another author's post. Below it are `more`, and Take down for a moderator. */
export function moderatorActions(context: Context, first: Post, content: HTMLElement, more: HTMLElement[], showText: (text: string) => void): Line<Post> {
  const actions = el("div", { class: "post-actions row wrap" }, ...more);
  const node = el("div", { class: "post-body" }, content, actions);
  const hide = hideButton(context, first, moderatePost, (now) => now.judged || !now.hidden, moderators);
  void context.moderator.then((yes) => yes && actions.append(hide.node));
  return { node, update: (post) => (showText(post.text), hide.update(post)) };
}

/** Texts of the button that hides a post, and of its announcements. They differ for the author and a moderator. */
interface HideWords {
  hide: string;
  show: string;
  hidden: string;
  shown: string;
}

const own: HideWords = { hide: "Hide from everyone", show: "Show again", hidden: "Hidden from everyone: it is in no feed.", shown: "Shown again." };
const moderators: HideWords = { hide: "Take down", show: "Show again", hidden: "Taken down: it is in no feed.", shown: "Shown again." };

/**
 * `may` says whether the button can be pressed. A moderator finds a hidden post on the page of its author or group, because no
 * feed shows it.
 */
function hideButton(context: Context, first: Post, write: typeof hidePost, may: (post: Post) => boolean, words: HideWords): Line<Post> {
  let { hidden } = first;
  const toggle = () => {
    const next = !hidden;
    write(context.me, first.id, next).then(
      () => announce(next ? words.hidden : words.shown),
      (error: unknown) => announce(`Not changed. ${errorMessage(error)}`, true),
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
