/** Page of the user's own profile: name, bio, counts, the switch "Private account", the composer, all posts, and Sign out. */
import { changeProfile, errorMessage, isolatedText, ownPosts, Paged, watchAccount } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context, View } from "../context";
import type { Profile } from "../data/session";
import { avatar } from "./avatar";
import { bioLine } from "./bio";
import { composer } from "./composer";
import { confirmIn } from "./confirm";
import { countsView } from "./counts";
import { emptyState, listView } from "./list";
import { postRow, postSkeleton } from "./post";
import type { Line } from "./post-lines";
import { profileForm } from "./profile-form";
import { announce } from "./say";
import { returned } from "./write";

export function ownProfileView(context: Context): View {
  const { me, name } = context;
  const bio = bioLine();
  const below = el("div", { class: "row wrap below-name" });
  const counts = countsView(context);
  const closed = closedSwitch(context);
  const place = el("div", {});
  const compose = composer(context, { place: "profile" });
  const edit = editing(context, place);
  fill(below, counts.node, el("span", { class: "grow" }), edit.node, signOutButton(context, below));
  let wasClosed: boolean | undefined;
  const stop = watchAccount(
    me,
    me.id,
    (account) => {
      if (!account) return;
      edit.update(account);
      bio.update(account.bio);
      closed.update(account.closed);
      if (wasClosed !== undefined && wasClosed !== account.closed) compose.querySelector("form")?.dispatchEvent(new Event(returned)); // the form says who sees a post
      wasClosed = account.closed;
    },
    () => {},
  );
  const list = listView(new Paged(ownPosts(me)), {
    label: "Posts",
    row: (item) => postRow(context, item),
    skeleton: postSkeleton,
    empty: () => emptyState("Nothing written yet", "Your first post goes to everyone who follows you."),
  });
  return {
    node: el(
      "div",
      { class: "view" },
      el(
        "section",
        { class: "profile row", aria: { label: "Profile" } },
        avatar(me.id, name).node,
        el("div", { class: "grow" }, el("h1", { tabIndex: -1 }, isolatedText(name)), bio.node, below, closed.node),
      ),
      place,
      compose,
      list.node,
    ),
    close() {
      stop();
      edit.close();
      counts.close();
      list.close();
    },
  };
}

/**
 * Returns "Edit profile", which opens the form in `place`. If the server rejects a change, the form opens with the typed text.
 */
function editing({ session, me, name }: Context, place: HTMLElement): Line<Profile> & { close: () => void } {
  let now: Profile = { name, bio: "" };
  const open = (typed: Profile, problem: string, before: Profile) => {
    const close = () => {
      fill(place);
      session.refused.set(undefined);
      button.focus();
    };
    const save = (changed: Profile) => {
      close();
      if (changed.name === before.name && changed.bio === before.bio) return;
      session.saveProfile(me, changed, before).then(
        () => announce("Saved."),
        (error: unknown) => announce(`Not saved. ${errorMessage(error)}`, true),
      );
    };
    const form = profileForm(typed, problem, save, close);
    fill(place, form.node);
    form.focus();
  };
  const button = el("button", { type: "button", class: "button small", disabled: true, on: { click: () => open(now, "", now) } }, "Edit profile");
  const close = session.refused.subscribe((refused) => refused && open(refused.typed, `Not saved. ${errorMessage(refused.error)}`, refused.now));
  const update = (next: Profile) => {
    now = next;
    button.disabled = false; // earlier, the form would open without the stored profile
  };
  return { node: button, update, close };
}

/** Returns the switch "Private account". */
function closedSwitch({ me }: Context): Line<boolean> {
  const box = el("input", { type: "checkbox", disabled: true });
  let known = false; // from the last snapshot: while a change is being sent, an older snapshot may still arrive
  let sending = 0;
  const show = () => {
    if (!sending) box.checked = known;
  };
  const change = (next: boolean) => {
    box.checked = next;
    sending++;
    changeProfile(me, { closed: next })
      .then(
        () => announce(next ? "Private: new followers have to ask, and only followers see your posts." : "Open: everyone sees your posts."),
        (error: unknown) => announce(`Not changed. ${errorMessage(error)}`, true),
      )
      .finally(() => (sending--, show()));
  };
  const node = el(
    "div",
    { class: "small muted" },
    el("label", { class: "switch" }, box, "Private account"),
    el("p", {}, "New followers have to ask, and only followers see your posts."),
  );
  box.addEventListener("change", () => {
    if (box.checked) return change(true);
    box.checked = true; // until the user confirms the change
    confirmIn(node, "Open your account? Everyone sees your posts then, also those of before.", "Open account", () => change(false));
  });
  return {
    node,
    update(now) {
      known = now;
      box.disabled = false;
      show();
    },
  };
}

/** Returns the button "Sign out". If a write has not been sent yet, the button asks first. */
function signOutButton({ session }: Context, place: HTMLElement): HTMLElement {
  const leave = () =>
    void session.signOut().then(
      () => location.reload(),
      (error: unknown) => announce(errorMessage(error), true),
    );
  const button = el("button", { type: "button", class: "button small quiet" }, "Sign out");
  button.addEventListener("click", async () => {
    if (await session.hasUnsent()) confirmIn(place, "What has not been sent yet would be lost. Sign out all the same?", "Sign out", leave);
    else leave();
  });
  return button;
}
