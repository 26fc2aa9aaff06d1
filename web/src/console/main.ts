/** Entry point of the console. It shows live what the relation index does, for a developer who runs `relationindex dev`. */
import "../shared/base.css";
import "./console.css";
import { type Config, loadConfig } from "../shared/config";
import { byId, el, fill } from "../shared/dom";
import { listen } from "./data/actions";
import { connect, type Db } from "./data/connect";
import { answered } from "./data/live";
import { Names } from "./data/names";
import { Selected } from "./data/selection";
import { actionsPanel } from "./view/actions";
import { authorPanel } from "./view/author";
import { either } from "./view/either";
import { header } from "./view/header";
import { jobsPanel } from "./view/jobs";
import { failure } from "./view/panel";
import { playMenu } from "./view/play";
import { postPanel } from "./view/post";
import { sourceChoice } from "./view/source";
import { timelinePanel } from "./view/timeline";
import { cost, sentence } from "./words/action";

void start();

async function start(): Promise<void> {
  const page = byId("console");
  try {
    const config = await loadConfig();
    const db = connect(config);
    if (db) show(page, config, db);
    else refuse(page, "This config.json is one of a deployed project, where the console is not let in.");
  } catch (err) {
    refuse(page, err instanceof Error ? err.message : String(err));
  }
}

function refuse(page: HTMLElement, why: string): void {
  fill(page, el("main", { class: "alone" }, failure("The console needs relationindex dev.", why)));
}

function show(page: HTMLElement, config: Config, db: Db): void {
  const selected = new Selected();
  const names: Names = new Names(db, () => (actions.redraw(), post.redraw(), timeline?.redraw(), author.redraw()));
  const actions = actionsPanel(db, names);
  const post = postPanel(db, selected, names);
  const timeline = db.timelines ? timelinePanel(db, selected, names) : undefined;
  const author = authorPanel(db, selected, names, (versions) => post.compare(versions));
  const top = header(config.firebase.projectId ?? "", db.capacity, playMenu(db, selected, names), sourceChoice(config));
  fill(
    page,
    top.node,
    el("main", { class: "panels" }, author.node, actions.node, ...(timeline ? either(timeline, post) : [post.node]), jobsPanel(db, names).node),
  );

  // Until the server has answered once, the system does not show as idle.
  let open = false,
    known = false,
    working = false;
  const activity = () => top.activity(!open ? "disconnected" : working ? "working" : known ? "idle" : "connecting");
  void answered.then(() => {
    known = true;
    if (open) activity();
  });
  const connected = (is: boolean) => {
    open = is;
    working = false; // the next action corrects this
    activity();
    actions.connected(is);
    // Without dev, these buttons would have no effect.
    for (const button of page.querySelectorAll<HTMLButtonElement>(".tools div > .button, .problem .button")) button.disabled = !is;
  };

  const opened = new Date();
  listen({
    action(a) {
      actions.action(a);
      working = !a.done;
      activity();
      if (a.done && a.at > opened) top.announce(`${sentence(a, db.collections, names)}: ${cost(a)}`);
    },
    lost() {
      connected(false);
    },
    async back() {
      connected(true);
      // A new process of dev has another database, and counts actions from 1 again.
      const now = await loadConfig().catch(() => config);
      if (now.emulators?.firestoreHost !== config.emulators?.firestoreHost) location.reload();
    },
  });
}
