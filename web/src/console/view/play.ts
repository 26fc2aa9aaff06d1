/** Play menu. It makes things happen, so that there is something to see without a second window. */
import { isolatedText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Db } from "../data/connect";
import type { Names } from "../data/names";
import { type Author, edit, follow, leave, manyPosts, newAuthor, type Play, startJob, unfollow, write } from "../data/play";
import type { Selected } from "../data/selection";

/** The author of a play if no author is chosen. */
const ada: Author = { id: "ada", name: "Ada" };

export function playMenu(db: Db, selected: Selected, names: Names): HTMLElement {
  const said = el("p", { class: "small muted", role: "status" });
  const author = (): Author => {
    const id = selected.now.author;
    return id === "" ? ada : { id, name: names.name(id) };
  };
  const items: [words: (a: string) => string, play: Play, about: () => Author][] = [
    [(a) => `An account follows ${a}`, follow(1), author],
    [(a) => `20 accounts follow ${a}`, follow(20), author],
    [(a) => `${a} posts`, write, author],
    [(a) => `${a} edits the newest post`, edit, author],
    [(a) => `5 accounts unfollow ${a}`, unfollow(5), author],
    [(a) => `Delete an account that follows ${a}`, leave, author],
    [() => `A job: the first follower of an author with ${manyPosts} posts`, startJob, () => newAuthor("Grace")],
  ];
  const buttons = items.map(([, play, about]) => el("button", { type: "button", class: "choice", on: { click: () => void run(play, about()) } }));
  const label = () => buttons.forEach((button, n) => fill(button, items[n]![0](isolatedText(author().name))));
  const run = async (play: Play, about: Author) => {
    buttons.forEach((b) => (b.disabled = true));
    fill(said, "Writing …");
    try {
      fill(said, await play(db, about));
      names.learn(about.id, about.name);
      if (selected.now.author !== about.id) selected.choose({ author: about.id });
    } catch (err) {
      fill(said, err instanceof Error ? err.message : String(err));
    }
    buttons.forEach((b) => (b.disabled = false));
    label();
  };
  const list = el(
    "div",
    { id: "play", class: "card menu", popover: "auto" },
    el("p", { class: "small muted" }, "Documents as clients write them"),
    ...buttons,
    said,
  );
  const button = el("button", { type: "button", class: "button primary small", aria: { controls: "play", expanded: "false" } }, "Play");
  button.popoverTargetElement = list;
  const put = () => {
    const place = button.getBoundingClientRect();
    list.style.setProperty("--top", `${place.bottom + 6}px`);
    list.style.setProperty("--right", `${Math.max(8, document.documentElement.clientWidth - place.right)}px`);
  };
  window.addEventListener("resize", put);
  list.addEventListener("toggle", (event) => {
    const open = event.newState === "open";
    button.setAttribute("aria-expanded", String(open));
    put();
    label();
    if (open) buttons[0]?.focus();
  });
  label();
  return el("div", {}, button, list);
}
