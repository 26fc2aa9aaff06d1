import { el } from "../../shared/dom";
import type { Context } from "../context";
import { say } from "../data/errors";
import { newPostId, writePost } from "../data/posts";
import { avatar } from "./avatar";
import { announce } from "./say";
import { writeForm } from "./write";

/**
 * Where a post is written. It leaves the field at once, and shows among one's posts as "Sending…" until the server has
 * it. If the server refuses it, the text comes back.
 */
export function composer(context: Context): HTMLElement {
  // What was refused, with its id: sent again, it is the same post.
  let refused: { id: string; text: string } | undefined;

  const form = writeForm({
    label: "Write a post",
    placeholder: "What is new?",
    button: "Post",
    send: (text) => {
      const id = refused?.text === text ? refused.id : newPostId(context.db);
      refused = undefined;
      // A crash right after it: the post is in this device's cache, and is sent when the page is opened again.
      writePost(context.db, id, context.me.uid, text).then(
        () => announce("Posted."),
        (error: unknown) => {
          refused = { id, text };
          form.giveBack(text, `Not posted. ${say(error)}`);
        },
      );
    },
  });
  return el("section", { class: "composer card", aria: { label: "New post" } }, avatar(context.me.uid, context.me.name).node, form.node);
}
