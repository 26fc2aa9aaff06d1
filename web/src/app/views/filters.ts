/** Panel of the user's filters and hidden posts. A button removes a filter, or shows a hidden post again. */
import { type Filters, getPosts, isolatedText, parsePattern, type Reader, errorMessage, wildcard } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { plain } from "../../shared/theirs";
import type { Context } from "../context";
import { disclosure, type Disclosure } from "./disclosure";
import { Rows, type Row } from "./rows";
import { announce } from "./say";
import { nameOf, nobody } from "./words";

interface Pattern {
  /** The list and the pattern. */
  id: string;
  list: keyof Filters;
  pattern: string;
}

export function filtersPanel(context: Context, reader: Reader): Disclosure {
  return disclosure("Filters", "card filters", () => {
    const patterns = el("ul", { class: "stack", aria: { label: "Filters" } });
    const none = el("p", { class: "small muted" }, "No filters yet. Press \u201cHide…\u201d below a post to begin.");
    const rows = new Rows<Pattern>(patterns, (pattern) => patternRow(context, reader, pattern));
    const stop = reader.settings.subscribe((settings) => {
      const lists = (["hide", "show"] as const).flatMap((list) =>
        settings[list].filter(parsePattern).map((pattern) => ({ id: `${list} ${pattern}`, list, pattern })),
      );
      rows.show(lists);
      none.hidden = lists.length > 0;
    });
    const hidden = hiddenPosts(context, reader);
    return {
      node: el("section", { class: "stack", aria: { label: "What you hide" } }, el("h2", {}, "What you hide"), patterns, none, hidden),
      close() {
        stop();
        rows.close();
      },
    };
  });
}

function patternRow(context: Context, reader: Reader, { list, pattern }: Pattern): Row<Pattern> {
  const { author, kind } = parsePattern(pattern)!;
  const words = el("span", { class: "grow" });
  const label = list === "hide" ? "Show again" : "Remove";
  const button = el("button", { type: "button", class: "button small" }, label);
  button.addEventListener("click", () => {
    reader.takeBack(pattern).catch((error: unknown) => announce(`Not changed. ${errorMessage(error)}`, true));
  });
  const draw = (by: string) => {
    const text = `${list === "hide" ? "Hidden" : "Always shown"}: ${kind === wildcard ? "everything" : `every ${isolatedText(kind)}`}${by && ` by ${by}`}`;
    fill(words, text);
    button.setAttribute("aria-label", plain(`${label}: ${text}`));
  };
  draw(author === wildcard ? "" : nobody);
  if (author !== wildcard) void nameOf(context.names, author).then(draw);
  return { node: el("li", { class: "row" }, words, button), update: () => {}, close: () => {} };
}

/** Lists the posts that are hidden when the panel opens. */
function hiddenPosts(context: Context, reader: Reader): HTMLElement {
  const list = el("ul", { class: "stack", aria: { label: "Hidden posts" } });
  const node = el("div", { class: "stack", hidden: true }, el("h3", {}, "Hidden posts"), list);
  const show = async () => {
    const ids = await reader.hiddenPosts();
    const posts = await getPosts(context.me, ids);
    const rows = [...posts.values()].map(({ id, text }) => {
      const start = text.slice(0, 60) || "A repost";
      const button = el("button", { type: "button", class: "button small", aria: { label: `Show again: ${start}` } }, "Show again");
      const row = el("li", { class: "row" }, el("span", { class: "grow small clip", dir: "auto" }, start), button);
      button.addEventListener("click", () => {
        reader.showPost(id).then(
          () => announce("Back in your feed."),
          (error: unknown) => announce(`Not changed. ${errorMessage(error)}`, true),
        );
        const next = row.nextElementSibling ?? row.previousElementSibling;
        (next?.querySelector("button") ?? document.querySelector("h1"))?.focus();
        row.remove();
        node.hidden = list.children.length === 0;
      });
      return row;
    });
    fill(list, ...rows);
    node.hidden = rows.length === 0;
  };
  show().catch((error: unknown) => announce(errorMessage(error), true));
  return node;
}
