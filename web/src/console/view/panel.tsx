/** Panel of the console, with its content while it is loading, empty or failed. */
import type { ReactElement, ReactNode } from "react";
import type { Live } from "../data/live";
import { useFlash } from "./flash";

/** Another panel in the same place. A wide window shows one of both, and a narrow window shows both. */
export interface Other {
  title: string;
  /** Whether the other panel is shown. */
  shown: boolean;
  show: () => void;
}

interface PanelProps {
  name: string;
  title: string;
  /** The text beside the title. */
  summary: string;
  other?: Other | undefined;
  children: ReactNode;
}

export function Panel({ name, title, summary, other, children }: PanelProps): ReactElement {
  const turn = () => {
    other?.show();
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".panel:not(.away) .other")?.focus());
  };
  return (
    <section className={`card panel ${name}${other?.shown ? " away" : ""}`} aria-labelledby={`${name}-title`}>
      <header className="panel-head">
        <h2 id={`${name}-title`}>{title}</h2>
        {other && (
          <button type="button" className="button quiet small other" onClick={turn}>
            {other.title}
          </button>
        )}
        <div className="summary small muted">{summary}</div>
      </header>
      <div className="panel-body">{children}</div>
    </section>
  );
}

/** A part that scrolls, also by keyboard. */
export const Scroller = ({ label, children }: { label: string; children: ReactNode }): ReactElement => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must have the focus, to be scrolled by keyboard
  <div className="scroller" role="region" tabIndex={0} aria-label={label}>
    {children}
  </div>
);

/** A list of buttons. It scrolls to the button that has the focus, so it needs no tab stop of its own. */
export const Choices = ({ label, state, children }: { label: string; state: ReactNode; children: ReactNode }): ReactElement => (
  <nav className="scroller" aria-label={label}>
    {state}
    <ul className="choices">{children}</ul>
  </nav>
);

interface ChoiceProps {
  id: string;
  chosen: boolean;
  choose: () => void;
  /** The button lights up when this changes. */
  flash?: unknown;
  children: ReactNode;
}

export const Choice = ({ id, chosen, choose, flash, children }: ChoiceProps): ReactElement => (
  <li>
    <button type="button" ref={useFlash<HTMLButtonElement>(flash)} className="choice" title={id} data-id={id} aria-current={chosen} onClick={choose}>
      {children}
    </button>
  </li>
);

/** Head of a table. A column has a name, and more text where there is room. */
export const Columns = ({ of }: { of: [name: string, more?: string][] }): ReactElement => (
  <thead>
    <tr>
      {of.map(([name, more]) => (
        <th key={name} scope="col" colSpan={name === "Followers" ? 2 : 1}>
          {name}
          {more && <span className="wide">{more}</span>}
        </th>
      ))}
    </tr>
  </thead>
);

interface StateProps {
  of: Live<unknown>;
  /** What fails: "The posts". */
  what: string;
  /** Placeholders of the same size as the rows that are loading. */
  rows?: number;
  kind?: "line" | "block";
  /** What is said if there is nothing. */
  none?: [what: string, todo: string] | false | undefined;
}

export function State({ of: { value, why }, what, rows = 0, kind = "line", none }: StateProps): ReactElement | null {
  if (why !== undefined) return <Failure what={`${what} cannot be read.`} why={why} />;
  if (none)
    return (
      <div className="notice">
        <p className="strong">{none[0]}</p>
        <p className="small">{none[1]}</p>
      </div>
    );
  if (value !== undefined || rows === 0) return null;
  return (
    <div className={`skeletons ${kind}`} aria-hidden="true">
      {Array.from({ length: rows }, (_, n) => (
        <div key={n} className="skeleton" />
      ))}
    </div>
  );
}

export const Failure = ({ what, why }: { what: string; why: string }): ReactElement => (
  <div className="notice bad" role="alert">
    <p className="strong">{what}</p>
    <p className="small">{why}</p>
    <p className="small">Is relationindex dev running? Reload the page when it is.</p>
  </div>
);
