/** Header of the console: the project, and whether the system is working. */
import { type SourceName, sourcesOf } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import { useEffect, useRef, useState } from "react";
import { ThemeChoice } from "../../shared/look";
import { choose, chosen, sources } from "../../shared/source";
import { answered } from "../data/live";
import { cost, sentence } from "../words/action";
import { clip, number } from "../words/numbers";
import { useConsole, useDev } from "./context";
import { PlayMenu } from "./play";
import { Text } from "./text";

const words = { connecting: "Loading…", idle: "idle", working: "working", disconnected: "disconnected" };

export function Header() {
  const { config, db, names } = useConsole(),
    { open, working, ended } = useDev();
  const known = useValue(answered),
    project = config.firebase.projectId ?? "";
  // Until the server has answered once, the system does not show as idle.
  const activity = open === false ? "disconnected" : open && working ? "working" : open && known ? "idle" : "connecting";
  const said = useSlowly(ended ? `${sentence(ended, db.collections, names)}: ${cost(ended)}` : "");
  return (
    <header className="top">
      <div className="brand">
        <img src="/icon.svg" alt="" width={24} height={24} />
        <h1>
          relationindex<span className="muted"> console</span>
        </h1>
      </div>
      <p className="facts small muted">
        <code title={project}>{clip(project, 28)}</code> · capacity <strong>{number(db.capacity)}</strong>
      </p>
      <span className={`indicator ${activity}`}>
        <span className="dot" aria-hidden="true" />
        <span>{words[activity]}</span>
      </span>
      <div className="tools row">
        <PlayMenu />
        <SourceChoice />
        <a className="button quiet small" href="/">
          The app
        </a>
        <ThemeChoice />
      </div>
      <Text as="p" className="visually-hidden" aria-live="polite" text={said} />
    </header>
  );
}

const quietMs = 3000;
/** Within this time, the names of an action become known. */
const namesMs = 300;

/** Returns the newest text, at most every 3 seconds another: screen readers read each. */
function useSlowly(text: string): string {
  const [said, setSaid] = useState(""),
    last = useRef(0);
  useEffect(() => {
    const say = () => {
      last.current = Date.now();
      setSaid(text);
    };
    const timer = setTimeout(say, Math.max(namesMs, last.current + quietMs - Date.now()));
    return () => clearTimeout(timer);
  }, [text]);
  return said;
}

/** Choice of the source from which the app on this device reads the feed. A developer can choose another source than the best. */
function SourceChoice() {
  const { config } = useConsole(),
    all = sourcesOf(config);
  return (
    <label className="source row small muted">
      The app reads from
      <select className="input" defaultValue={chosen(config)} onChange={(event) => choose(event.currentTarget.value as SourceName | "")}>
        <option value="">{`Best: ${sources[all[0] ?? "relations"].toLowerCase()}`}</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {sources[name]}
          </option>
        ))}
      </select>
    </label>
  );
}
