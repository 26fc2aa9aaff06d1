/** Button that likes a post, and takes the like back. It shows the number of likes if the functions keep numbers. */
import { type OwnLikes, type Post, errorMessage, shownLikes } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import type { Line } from "./post-lines";
import { announce } from "./say";

export function likeButton({ config }: Context, likes: OwnLikes, first: Post): Line<Post> & { close(): void } {
  let post = first;
  let stored = !first.sending; // before, the server would not find the post
  const own = likes.of(first.id);
  const node = el("button", { type: "button", class: "button small quiet like" });
  const show = () => {
    const count = shownLikes(post.likes, own.get());
    fill(node, "Like", config.counts && count > 0 && ` ${count.toLocaleString()}`);
    node.setAttribute("aria-pressed", String(own.get()?.mine ?? false));
    if (config.counts) node.setAttribute("aria-label", `Like, ${count === 1 ? "1 like" : `${count.toLocaleString()} likes`}`);
    node.hidden = !stored;
  };
  node.addEventListener("click", () => {
    const was = own.get()?.mine;
    likes.toggle(post.id, post.likes).catch((error: unknown) => announce(`${was ? "Still liked." : "Not liked."} ${errorMessage(error)}`, true));
  });
  const close = own.subscribe(show);
  return {
    node,
    update(next) {
      post = next;
      stored ||= !next.sending;
      show();
    },
    close,
  };
}
