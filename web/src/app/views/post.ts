/** Row that shows a post in a list. */
import { isolatedText, type Post } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { href } from "../routes";
import { avatar } from "./avatar";
import { comments } from "./comments";
import type { Disclosure } from "./disclosure";
import { likeButton } from "./like-button";
import { moderatorActions, ownActions } from "./post-actions";
import { aboutLine, readersLine } from "./post-lines";
import { repostRow } from "./repost";
import { repostButton } from "./repost-button";
import type { Row } from "./rows";
import { clampedText } from "./text";
import { timeOf } from "./time";
import { nameOf, sendingText } from "./words";

/** An item of a list, with its post. */
export interface PostItem {
  id: string;
  post: Post;
  /** The accounts that have reposted it, if the item groups several reposts: see groupReposts. */
  reposters?: string[];
}

export interface PostOptions {
  /** A menu with further actions, which the list offers. */
  menu?: Disclosure;
  /** Whether the comments are open from the start. */
  open?: boolean;
}

export function postRow(context: Context, item: PostItem, { menu, open = false }: PostOptions = {}): Row<PostItem> {
  const { post: first } = item;
  if (first.repostOf) return repostRow(context, item, menu, (original) => postRow(context, original, { open }));
  const face = avatar(first.userId);
  const name = el("a", { class: "name", href: href({ to: "profile", uid: first.userId }) }, "\u00a0");
  const when = el("span", { class: "muted small" });
  const permalink = el("a", { class: "when", href: href({ to: "post", id: first.id }) });
  const edited = el("span", { class: "muted small" }, "· edited");
  const hidden = el("span", { class: "badge warn" });
  const kind = el("span", { class: "badge clip" });
  const text = clampedText(first.text);
  const readers = readersLine(context);
  const about = aboutLine(context);
  const content = el("div", {}, text.node, about.node);
  const talk = comments(context, first);
  const like = context.likes && likeButton(context, context.likes, first);
  const again = repostButton(context, first, item.reposters?.includes(context.me.id) ?? false);
  const more = [like?.node, again.node, talk.button, menu?.button].filter((one) => one !== undefined);
  const actions = (first.userId === context.me.id ? ownActions : moderatorActions)(context, first, content, more, text.update);
  const article = el(
    "article",
    { class: "post" },
    face.node,
    el("header", {}, name, when, edited, kind, hidden, readers.node),
    actions.node,
    menu?.panel,
    talk.panel,
  );

  void nameOf(context.names, first.userId).then((known) => {
    fill(name, known);
    face.rename(known);
  });

  let stored = false; // before, the server would not find the post
  const update = ({ post }: PostItem) => {
    readers.update(post);
    about.update(post);
    actions.update(post);
    hidden.hidden = !post.hidden;
    fill(hidden, post.judged ? "Taken down" : "Hidden from everyone");
    fill(kind, isolatedText(post.kind));
    kind.hidden = post.kind === "";
    stored ||= !post.sending;
    talk.button.hidden = !stored;
    if (context.config.counts) showComments(talk.button, post.comments);
    like?.update(post);
    again.update(post);
    article.classList.toggle("sending", post.sending);
    if (post.sending) fill(when, el("span", { class: "badge warn" }, sendingText(context.offline.get())));
    else {
      fill(permalink, timeOf(post.createdAt));
      if (permalink.parentNode !== when) fill(when, permalink); // a link that is already there stays: it may have the focus
    }
    edited.hidden = !post.edited || post.sending;
    if (open && !post.sending) {
      open = false;
      talk.open();
    }
  };
  update({ id: first.id, post: first });
  return {
    node: el("li", {}, article),
    update,
    close() {
      like?.close();
      talk.close();
      menu?.close();
    },
  };
}

/** Labels the button "Comments 3". */
function showComments(button: HTMLElement, count: number): void {
  fill(button, "Comments", count > 0 && ` ${count.toLocaleString()}`);
}

/** Returns a placeholder of the size of a post with two lines. */
export function postSkeleton(): HTMLElement {
  const bar = (width: string) => el("span", { class: "skeleton text-bar", style: { width } });
  return el(
    "div",
    { class: "post" },
    el("span", { class: "avatar skeleton" }),
    el("div", { class: "header" }, bar("9em"), bar("5em")),
    el("div", { class: "post-body" }, bar("96%"), bar("64%"), el("div", { class: "post-actions" })),
  );
}
