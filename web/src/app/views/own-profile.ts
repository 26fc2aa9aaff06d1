/** My own profile: the counts, whether the account is private, the composer, all my posts, and the way out. */
import { isolated, myPosts, say, setClosed, watchAccount } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context, View } from "../context";
import { avatar } from "./avatar";
import { composer } from "./composer";
import { confirmIn } from "./confirm";
import { countsView } from "./counts";
import { emptyState, listView } from "./list";
import { postRow, postSkeleton } from "./post";
import { announce } from "./say";

export function ownProfileView(context: Context): View {
  const { db, me } = context;
  const name = el("h1", { tabIndex: -1 }, isolated(me.name));
  const below = el("div", { class: "row wrap below-name" });
  const counts = countsView(context);
  const closed = closedSwitch(context);
  fill(below, counts.node, el("span", { class: "grow" }), ...ownButtons(context, below, name));
  const list = listView(myPosts(db, me.uid), {
    label: "Posts",
    row: (item) => postRow(context, item),
    skeleton: postSkeleton,
    empty: () => emptyState("Nothing written yet", "Your first post goes to everyone who follows you."),
  });
  return {
    node: el("div", { class: "view" },
      el("section", { class: "profile row", aria: { label: "Profile" } }, avatar(me.uid, me.name).node, el("div", { class: "grow" }, name, below, closed.node)),
      composer(context, { place: "profile" }), list.node),
    close() {
      counts.close();
      closed.close();
      list.close();
    },
  };
}

/** "Private account" */
function closedSwitch({ db, me }: Context): View {
  const box = el("input", { type: "checkbox", disabled: true });
  const close = watchAccount(db, me.uid, (account) => {
    box.checked = account?.closed ?? false;
    box.disabled = false;
  }, () => {});
  box.addEventListener("change", () => {
    const next = box.checked;
    setClosed(db, me.uid, next).then(
      () => announce(next ? "Private: new followers have to ask, and only followers see your posts." : "Open: everyone sees your posts."),
      (error: unknown) => announce(`Not changed. ${say(error)}`, true), // the listener puts it back
    );
  });
  return { node: el("label", { class: "switch small muted", title: "New followers have to ask, and only followers see your posts." }, box, "Private account"), close };
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
