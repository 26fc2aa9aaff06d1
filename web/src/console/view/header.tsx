/** Header of the console: the project, and whether the system is working. */
import { useValue } from "relationindex-client/react";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { ThemeChoice } from "../../shared/look";
import { plain } from "../../shared/words";
import { answered } from "../data/live";
import { cost, sentence } from "../words/action";
import { clip, number } from "../words/numbers";
import { useConfig, useDb, useDev, useNames } from "./context";
import { PlayMenu } from "./play";
import { SourceChoice } from "./source";

const words = { connecting: "Loading…", idle: "idle", working: "working", disconnected: "disconnected" };

export function Header(): ReactElement {
  const db = useDb(),
    names = useNames(),
    { open, working, ended } = useDev(),
    known = useValue(answered),
    project = useConfig().firebase.projectId ?? "";
  // Until the server has answered once, the system does not show as idle.
  const activity = open === false ? "disconnected" : !open ? "connecting" : working ? "working" : known ? "idle" : "connecting";
  const said = useSlowly(ended ? plain(`${sentence(ended, db.collections, names)}: ${cost(ended)}`) : "");
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
      <div className="visually-hidden" aria-live="polite">
        {said}
      </div>
    </header>
  );
}

const quietMs = 3000;
/** Within this time, the names of an action become known. */
const namesMs = 300;

/** Returns the newest text, at most every 3 seconds another: screen readers read each. */
function useSlowly(text: string): string {
  const [said, setSaid] = useState("");
  const last = useRef(0);
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
