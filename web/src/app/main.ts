/** Entry point of the app. It shows the view that belongs to the state of the session. */
import { Accounts, Badge, connect, errorMessage, OwnCounts, OwnFollows, OwnLikes, Reader } from "relationindex-client";
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
  const session = new Session(client);
  const offline = watchOffline();
  const place = el("div", { id: "place" });
  fill(
    byId("app"),
    el("a", { class: "skip", href: "#main", on: { click: skip } }, "Skip to the content"),
    header(config),
    place,
    offlineLine(offline),
    announcements,
  );
  keepTimes();

  let view: View | undefined;
  let shown = "";
  session.state.subscribe((state) => {
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
        return inMain(nameView(session));
      case "failed":
        return still(failure(state.error));
      case "signed in": {
        const { uid, name } = state;
        const me = session.me!;
        const names = new Accounts(me);
        if (session.account) names.put(session.account);
        const drafts = new Drafts(localStorage, uid);
        const reader = config.timelines?.settings ? new Reader(me) : undefined;
        const counts = new OwnCounts(me);
        const follows = new OwnFollows(me);
        const likes = config.counts || config.notifications ? new OwnLikes(me) : undefined;
        const badge = config.notifications ? new Badge(me) : undefined;
        const context: Context = {
          config,
          session,
          me,
          name,
          names,
          drafts,
          counts,
          follows,
          reposted: new Set(),
          reader,
          likes,
          badge,
          offline,
          moderator: session.isModerator(),
        };
        const view = shell(context);
        return { ...view, close: () => [view, names, counts, follows, reader, likes, badge].forEach((part) => part?.close()) };
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
  return el(
    "main",
    { id: "main", class: "alone", tabIndex: -1 },
    el(
      "div",
      { class: "notice bad", role: "alert" },
      el("h1", {}, "This did not start"),
      el("p", {}, errorMessage(error)),
      el("button", { type: "button", class: "button", on: { click: () => location.reload() } }, "Try again"),
    ),
  );
}

start().catch((error: unknown) => fill(byId("app"), header({} as Config), failure(error)));
