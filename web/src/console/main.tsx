/** Entry point of the console. It shows live what the relation index does, for a developer who runs `relationindex dev`. */
import "../shared/base.css";
import "./console.css";
import { createRoot } from "react-dom/client";
import { loadConfig } from "../shared/config";
import { applyTheme } from "../shared/look";
import { listen } from "./data/actions";
import { connect } from "./data/connect";
import { Names } from "./data/names";
import { Provider } from "./view/context";
import { Header } from "./view/header";
import { Failure } from "./view/panel";
import { Panels } from "./view/panels";

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
