/** Entry point of the app. It shows the view that belongs to the state of the session. */
import { Badge, connect, Names, OwnCounts, OwnLikes, OwnPosts, Reader, say, toAccount, Value } from "relationindex-client";
import "../shared/base.css";
import "./app.css";
import { loadConfig, type Config } from "../shared/config";
import { byId, el, fill } from "../shared/dom";
import type { Context, View } from "./context";
import { watchOffline } from "./data/connection";
import { Drafts } from "./data/drafts";
import { Session, type SessionState } from "./data/session";
import { announcements } from "./views/say";
import { header, offlineLine, shell } from "./views/shell";
import { nameView, signInView } from "./views/sign-in";
import { keepTimes } from "./views/time";

async function start(): Promise<void> {
  const config = await loadConfig();
  const client = connect(config);
  const { auth, db } = client;
  const session = new Session(client);
  const offline = watchOffline();
  const place = el("div", { id: "place" });
  fill(byId("app"),
    el("a", { class: "skip", href: "#main", on: { click: skip } }, "Skip to the content"),
    header(config), place, offlineLine(offline), announcements);
  keepTimes();

  let view: View | undefined;
  let shown = "";
  session.state.watch((state) => {
    // While account and name stay the same, the view stays too.
    const key = JSON.stringify(state);
    if (key === shown && state.is !== "failed") return;
    shown = key;
    const focused = place.contains(document.activeElement);
    view?.close();
    view = viewOf(state);
    fill(place, view.node);
    if (focused) place.querySelector("h1")?.focus({ preventScroll: true }); // the keyboard continues from there
  });

  function viewOf(state: SessionState): View {
    switch (state.is) {
      case "starting":
        return still(el("main", { id: "main", class: "starting", tabIndex: -1, aria: { busy: "true", label: "Loading" } }));
      case "signed out":
        return inMain(signInView(session, config));
      case "nameless":
        return inMain(nameView(session, state.uid));
      case "failed":
        return still(failure(state.error));
      case "signed in": {
        const { me } = state;
        const names = new Names(db);
        names.put(me.uid, { ...toAccount(), name: me.name });
        const drafts = new Drafts(localStorage, me.uid);
        const reader = config.timelines?.settings ? new Reader(db, me.uid) : undefined;
        const counts = new OwnCounts(db, me.uid, config.counts ?? false);
        const ownPosts = new OwnPosts(db, me.uid);
        const likes = config.counts || config.notifications ? new OwnLikes(db, me.uid) : undefined;
        const badge = config.notifications ? new Badge(db, me.uid) : undefined;
        const context: Context = { config, db, session, me, names, drafts, counts, reader, ownPosts, likes, badge, offline, writes: new Value(0), idToken: async () => (await auth.currentUser?.getIdToken()) ?? "", moderator: session.isModerator() };
        const view = shell(context);
        return { ...view, close: () => [view, names, counts, ownPosts, reader, likes, badge].forEach((part) => part?.close()) };
      }
    }
  }
}

const still = (node: HTMLElement): View => ({ node, close: () => {} });
const inMain = (view: View): View => ({ ...view, node: el("main", { id: "main", tabIndex: -1 }, view.node) });

/** Moves the focus to the content. The skip link must not change the address, because the part after the # is the route. */
function skip(event: Event): void {
  event.preventDefault();
  byId("main").focus();
}

function failure(error: unknown): HTMLElement {
  return el("main", { id: "main", class: "alone", tabIndex: -1 },
    el("div", { class: "notice bad", role: "alert" },
      el("h1", {}, "This did not start"),
      el("p", {}, say(error)),
      el("button", { type: "button", class: "button", on: { click: () => location.reload() } }, "Try again")));
}

start().catch((error: unknown) => fill(byId("app"), header({} as Config), failure(error)));
