/**
 * Lines beside the text of a post: its readers, and what it is about. A post to the author's followers alone has no line of
 * readers.
 */
import { isGroup, isolatedText, isTag, type Post, tagsOf } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context } from "../context";
import { href } from "../routes";
import { nobody } from "./words";

export interface Line<T> {
  node: HTMLElement;
  update(of: T): void;
}

const mostNamed = 3;

/** Returns the line of readers: "in Team Blue, to Ada and Bob". */
export function readersLine(context: Context): Line<Post> {
  const node = el("p", { class: "small muted line" });
  let shown = "";
  return {
    node,
    update({ audience, userId, to }) {
      const key = JSON.stringify([audience, to]);
      if (key === shown) return;
      shown = key;
      const named = to.filter((id) => id !== userId);
      const people = named.slice(0, mostNamed).flatMap((id, i) => [i > 0 && ", ", account(context, id)]);
      const more = named.length - mostNamed;
      node.hidden = audience === userId && named.length === 0;
      fill(
        node,
        isGroup(audience) && el("span", {}, "in ", account(context, audience)),
        isGroup(audience) && named.length > 0 && ", ",
        named.length > 0 && el("span", {}, audience === "" ? "only to " : "to ", ...people, more > 0 && ` and ${more} more`),
        audience === "" && named.length === 0 && "to nobody",
      );
    },
  };
}

/** Returns the line "About #garden, Team Blue". It leaves out the #names that are in the text. */
export function aboutLine(context: Context): Line<Post> {
  const node = el("p", { class: "small muted line" });
  let shown = "";
  return {
    node,
    update({ refs: all, text }) {
      const said = tagsOf(text);
      const refs = all.filter((ref) => !said.includes(ref));
      const key = JSON.stringify(refs);
      if (key === shown) return;
      shown = key;
      node.hidden = refs.length === 0;
      fill(node, "About ", ...refs.flatMap((ref, i) => [i > 0 && ", ", about(context, ref)]));
    },
  };
}

function account(context: Context, id: string): HTMLElement {
  return named(context, id, el("a", { href: href({ to: "profile", uid: id }) }, "\u00a0"));
}

function about(context: Context, ref: string): HTMLElement {
  const link = el("a", { href: href({ to: "about", ref }) }, isTag(ref) ? isolatedText(ref) : "\u00a0");
  return isTag(ref) ? link : named(context, ref, link);
}

function named(context: Context, id: string, link: HTMLElement): HTMLElement {
  void context.names
    .get(id)
    .then(
      ({ name }) => name,
      () => "",
    )
    .then((name) => fill(link, isolatedText(name) || (isGroup(id) ? "a group that is gone" : nobody)));
  return link;
}
