/** An account: its name and its posts. One's own has the counts, the composer, and the way out. */
import { el, fill } from "../../shared/dom";
import type { Context, View } from "../context";
import { say } from "../data/errors";
import { postList } from "../data/own";
import { nobody } from "../data/people";
import { avatar } from "./avatar";
import { composer } from "./composer";
import { confirmIn } from "./confirm";
import { countsView } from "./counts";
import { followButton } from "./follow-button";
import { emptyState, listView } from "./list";
import { postRow, postSkeleton } from "./post";
import { announce } from "./say";

export function profileView(context: Context, uid: string): View {
  const mine = uid === context.me.uid;
  const face = avatar(uid, mine ? context.me.name : "");
  const name = el("h1", { tabIndex: -1 }, mine ? context.me.name : "\u00a0");
  const below = el("div", { class: "row wrap below-name" });
  const closing: (() => void)[] = [];
  let open = true;

  if (mine) {
    const counts = countsView(context);
    closing.push(counts.close);
    fill(below, counts.node, el("span", { class: "grow" }), ...ownButtons(context, below, name));
  } else {
    void context.names.get(uid).catch(() => nobody).then((known) => {
      if (!open) return;
      name.textContent = known;
      face.rename(known);
      const follow = followButton(context, uid, known);
      closing.push(follow.close);
      fill(below, follow.node);
    });
  }

  const list = listView(postList(context.db, uid), {
    label: "Posts",
    row: (item) => postRow(context, item),
    skeleton: postSkeleton,
    empty: () => (mine ? emptyState("Nothing written yet", "Your first post goes to everyone who follows you.") : emptyState("Nothing written yet", "Follow them to see their first post in your feed.")),
  });
  closing.push(list.close);

  const node = el("div", { class: "view" }, el("section", { class: "profile row", aria: { label: "Profile" } }, face.node, el("div", { class: "grow" }, name, below)), mine && composer(context), list.node);
  return {
    node,
    close() {
      open = false;
      for (const close of closing) close();
    },
  };
}

/** Rename, and Sign out: which asks first if something has not been sent yet. */
function ownButtons(context: Context, place: HTMLElement, heading: HTMLElement): HTMLElement[] {
  const { session, me } = context;
  const leave = () => void session.signOut().then(() => location.reload(), (error: unknown) => announce(say(error), true));
  const signOut = el("button", { type: "button", class: "button small" }, "Sign out");
  signOut.addEventListener("click", async () => {
    if (await session.hasUnsent()) confirmIn(place, "What has not been sent yet would be lost. Sign out all the same?", "Sign out", leave);
    else leave();
  });

  const rename = el("button", { type: "button", class: "button small quiet" }, "Rename");
  rename.addEventListener("click", () => {
    const field = el("input", { class: "input", value: me.name, maxLength: 50, required: true, autocomplete: "name", aria: { label: "Your name" } });
    const close = () => {
      form.replaceWith(heading);
      rename.focus();
    };
    const form = el("form", { class: "row rename" }, field, el("button", { type: "submit", class: "button small primary" }, "Save"), el("button", { type: "button", class: "button small quiet", on: { click: close } }, "Cancel"));
    form.addEventListener("keydown", (event) => event.key === "Escape" && close());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = field.value.trim();
      close();
      if (name && name !== me.name) session.setName(me.uid, name).catch((error: unknown) => announce(`Not renamed. ${say(error)}`, true));
    });
    heading.replaceWith(form);
    field.select();
  });
  return [rename, signOut];
}
