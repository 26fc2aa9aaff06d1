/** Entry point of the console. It shows live what the relation index does, for a developer who runs `relationindex dev`. */
import "../shared/font.css";
import "../shared/base.css";
import "./console.css";
import { createRoot } from "react-dom/client";
import { loadConfig } from "../shared/config";
import { applyTheme } from "../shared/look";
import { listen } from "./data/actions";
import { connect } from "./data/connect";
import { useWatched } from "./data/live";
import { Names } from "./data/names";
import { indexWindow } from "./data/window";
import { ActionsPanel } from "./view/actions";
import { AuthorPanel } from "./view/author";
import { Provider, useConsole } from "./view/context";
import { Header } from "./view/header";
import { JobsPanel } from "./view/jobs";
import { Failure } from "./view/panel";
import { PostPanel } from "./view/post";
import { TimelinePanel } from "./view/timeline";

applyTheme();
const root = createRoot(document.getElementById("console")!);
void start().catch((err: Error) =>
  root.render(
    <main className="alone">
      <Failure what="The console needs relationindex dev." why={err.message} />
    </main>,
  ),
);

async function start(): Promise<void> {
  const config = await loadConfig(),
    db = connect(config);
  root.render(
    <Provider value={{ config, db, names: new Names(db), dev: listen(config) }}>
      <Header />
      <Panels />
    </Provider>,
  );
}

function Panels() {
  const { db, author } = useConsole();
  const index = useWatched(() => author !== "" && indexWindow(db, author), [db, author]);
  return (
    <main className="panels">
      <AuthorPanel index={index} />
      <ActionsPanel />
      {db.timelines && <TimelinePanel />}
      <PostPanel index={index.value?.newest ?? []} />
      <JobsPanel />
    </main>
  );
}
