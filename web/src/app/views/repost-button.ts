/** Button that reposts a post, and takes the repost back. It shows for posts of other authors that everybody may read. */
import { type Post, errorMessage, repost, undoRepost } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context } from "../context";
import type { Line } from "./post-lines";
import { announce } from "./say";

/**
 * Reads nothing to find whether the user has reposted the post. The button is pressed if the row names the user as a reposter, or
 * if the user has reposted the post since the page was opened.
 */
export function repostButton(context: Context, first: Post, reposted: boolean): Line<Post> {
  const { me, names } = context;
  let post = first;
  let open = false;
  let pressed = reposted || context.reposted.has(first.id);
  const node = el("button", { type: "button", class: "button small quiet like" }, "Repost");
  const show = () => {
    node.hidden = !open || post.audience !== post.userId || post.hidden || post.sending;
    node.setAttribute("aria-pressed", String(pressed));
  };
  const keep = () => void (pressed ? context.reposted.add(first.id) : context.reposted.delete(first.id));
  node.addEventListener("click", () => {
    const next = !pressed;
    pressed = next;
    keep();
    show();
    (next ? repost : undoRepost)(me, post.id).then(
      () => announce(next ? "Reposted." : "Taken back."),
      (error: unknown) => {
        if (pressed === next) pressed = !next; // unless it was pressed again meanwhile
        keep();
        show();
        announce(`${next ? "Not reposted." : "Not taken back."} ${errorMessage(error)}`, true);
      },
    );
  });
  void names.get(first.userId).then(
    ({ name, closed }) => {
      open = name !== "" && !closed && first.userId !== me.id;
      show();
    },
    () => {},
  ); // offline, and the account is not in this device's cache
  show();
  return {
    node,
    update(next) {
      post = next;
      show();
    },
  };
}
