/** Menu of a post in a timeline. It hides the post, its kind or its author, or always shows the author's posts of this kind. */
import { type Entry, type Filters, isolatedText, patternOf, type Reader, errorMessage, wildcard } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context } from "../context";
import { disclosure, type Disclosure } from "./disclosure";
import { announce } from "./say";
import { nameOf } from "./words";

const button = (label: string, click: () => void) => el("button", { type: "button", class: "button small", on: { click } }, el("span", {}, label));

/** hidden is called when the reader hides the post itself. */
export function hideMenu(context: Context, reader: Reader, entry: Entry, hidden: () => void): Disclosure {
  const author = entry.place?.author || entry.post.userId;
  const kind = entry.place?.kind ?? "";

  const menu = disclosure("Hide…", "menu", () => {
    const choices = el("div", { class: "row wrap", role: "group", aria: { label: "Hide…" } });
    const filter = (list: keyof Filters, pattern: string, done: string) => () => {
      menu.close();
      menu.button.focus(); // if the row is removed, the focus moves on from here
      reader.add(list, pattern).then(
        () => announce(done),
        (error: unknown) => announce(`Not changed. ${errorMessage(error)}`, true),
      );
    };
    const draw = (name: string) =>
      choices.replaceChildren(
        button("Hide this post", () => {
          menu.close();
          for (const id of entry.ids ?? [entry.id]) reader.hidePost(id).catch((error: unknown) => announce(`Not hidden. ${errorMessage(error)}`, true));
          hidden();
        }),
        ...(kind
          ? [
              button(`Hide every ${isolatedText(kind)}`, filter("hide", patternOf(wildcard, kind), `Hidden: every ${isolatedText(kind)}. See Filters.`)),
              button(
                `Hide every ${isolatedText(kind)} by ${name}`,
                filter("hide", patternOf(author, kind), `Hidden: every ${isolatedText(kind)} by ${name}. See Filters.`),
              ),
              button(
                `Always show every ${isolatedText(kind)} by ${name}`,
                filter("show", patternOf(author, kind), `Always shown: every ${isolatedText(kind)} by ${name}. See Filters.`),
              ),
            ]
          : []),
        button(`Hide everything by ${name}`, filter("hide", patternOf(author, wildcard), `Hidden: everything by ${name}. See Filters.`)),
      );
    void nameOf(context.names, author).then(draw);
    return { node: choices, close: () => {} };
  });
  return menu;
}
