/** The button that reposts a post, and takes the repost back: of what everybody may read, and I have not written. */
import { type Post, repost, say, takeBackRepost } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context } from "../context";
import type { Line } from "./post-lines";
import { announce } from "./say";

/** Whether it is pressed is known from the first press on: nothing is read for it. */
export function repostButton({ db, me, names }: Context, first: Post): Line<Post> {
  let post = first;
  let open = false;
  let pressed = false;
  const node = el("button", { type: "button", class: "button small quiet like" }, "Repost");
  const show = () => {
    node.hidden = !open || post.audience !== post.userId || post.hidden || post.sending;
    node.setAttribute("aria-pressed", String(pressed));
  };
  node.addEventListener("click", () => {
    const next = !pressed;
    pressed = next;
    show();
    (next ? repost : takeBackRepost)(db, me.uid, post.id).then(
      () => announce(next ? "Reposted." : "Taken back."),
      (error: unknown) => {
        pressed = !next;
        show();
        announce(`${next ? "Not reposted." : "Not taken back."} ${say(error)}`, true);
      },
    );
  });
  void names.account(first.userId).then(({ name, closed }) => {
    open = name !== "" && !closed && first.userId !== me.uid;
    show();
  }, () => {}); // offline, of somebody whom this device does not know
  show();
  return {
    node,
    update(next) {
      post = next;
      show();
    },
  };
}
