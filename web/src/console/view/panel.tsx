/** Panel of the console, with its content while it is loading, empty or failed. */
import { Value } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import { type ReactElement, type ReactNode, useLayoutEffect, useRef } from "react";
import type { Live } from "../data/live";
import { useFlash } from "./flash";
import { Text } from "./text";

/** The panel that a wide window shows, where two have the same place. A narrow window shows both. */
const front = new Value("Timeline");

/** The summary stands beside the title. other is the title of another panel in the same place. */
export function Panel({ title, summary, other, children }: { title: string; summary: string; other?: string | false; children: ReactNode }) {
  const name = title.toLowerCase(),
    away = useValue(front) === other;
  const button = useRef<HTMLButtonElement>(null),
    was = useRef(away);
  useLayoutEffect(() => {
    if (was.current && !away) button.current?.focus(); // the button that was pressed is away
    was.current = away;
  }, [away]);
  return (
    <section className={`card panel ${name}${away ? " away" : ""}`} aria-labelledby={`${name}-title`}>
      <header className="panel-head">
        <h2 id={`${name}-title`}>{title}</h2>
        {other && (
          <button type="button" ref={button} className="button quiet small other" onClick={() => front.set(other)}>
            {other}
          </button>
        )}
        <div className="summary small muted">{summary}</div>
      </header>
      <div className="panel-body">{children}</div>
    </section>
  );
}

/** A part that scrolls, also by keyboard. */
export const Scroller = ({ label, children }: { label: string; children: ReactNode }) => (
  // What scrolls must have the focus, to be scrolled by keyboard
  <div className="scroller" role="region" tabIndex={0} aria-label={label}>
    {children}
  </div>
);

/** A list of buttons beside the details. It scrolls to the button that has the focus, so it needs no tab stop of its own. */
export const Choices = ({ label, search, rows, ...state }: { label: string; search?: ReactNode; rows: ReactNode } & StateProps) => (
  <div className="rail">
    {search}
    <nav className="scroller" aria-label={label}>
      <State {...state} />
      <ul className="choices">{rows}</ul>
    </nav>
  </div>
);

interface ChoiceProps {
  id: string;
  chosen: string;
  choose: () => void;
  name: string;
  badges?: ReactNode;
  /** The button lights up when this changes. */
  flash?: number;
  /** What stands below the name. */
  children: ReactNode;
}

export const Choice = ({ id, chosen, choose, name, badges, flash, children }: ChoiceProps) => (
  <li>
    <button type="button" ref={useFlash<HTMLButtonElement>(flash)} className="choice" title={id} data-id={id} aria-current={id === chosen} onClick={choose}>
      <span className="grow stacked">
        <Text className="name" text={name} />
        {children}
      </span>
      {badges}
    </button>
  </li>
);

interface DetailProps extends StateProps {
  id: string;
  title: string;
  badge?: ReactNode;
  about: string;
  label: string;
  after?: ReactNode;
  children: ReactNode;
}

/** What is known about the item that is chosen. */
export const Detail = ({ id, title, badge, about, label, after, children, ...state }: DetailProps) => (
  <div className="detail">
    <div className="row wrap detail-head">
      <Text as="h3" title={id} text={title} />
      {badge}
      <span className="small muted">{about}</span>
    </div>
    <Scroller label={label}>
      {children}
      <State {...state} />
    </Scroller>
    {after}
  </div>
);

/** A table, unless it has no rows. A column may have more text where there is room. */
export const Table = ({ name, columns, wide = {}, rows }: { name: string; columns: string[]; wide?: Record<string, string>; rows: ReactElement[] }) =>
  rows.length > 0 && (
    <table className={name}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col" colSpan={column === "Followers" ? 2 : 1}>
              {column}
              {wide[column] && <span className="wide">{wide[column]}</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{rows}</tbody>
    </table>
  );

interface StateProps {
  of: Live<unknown>;
  /** What fails: "The posts". */
  what: string;
  /** The number of placeholders, about as high as the rows that are loading. */
  loading?: number;
  kind?: "line" | "block";
  /** If there is nothing: a line that says so, and a line that says what to do. */
  none?: string | false | undefined;
}

export function State({ of: { value, why }, what, loading = 0, kind = "line", none }: StateProps) {
  if (why !== undefined) return <Failure what={`${what} cannot be read.`} why={why} />;
  if (none) return <Notice lines={none.split("\n")} />;
  if (value !== undefined || loading === 0) return null;
  return (
    <div className={`skeletons ${kind}`} aria-hidden="true">
      {Array.from({ length: loading }, (_, n) => (
        <div key={n} className="skeleton" />
      ))}
    </div>
  );
}

export const Failure = ({ what, why }: { what: string; why: string }) => (
  <Notice role="alert" lines={[what, why, "Is relationindex dev running? Reload the page when it is."]} />
);

const Notice = ({ lines: [first, ...others], role }: { lines: string[]; role?: "alert" }) => (
  <div className={role ? "notice bad" : "notice"} role={role}>
    <p className="strong">{first}</p>
    {others.map((line) => (
      <p key={line} className="small">
        {line}
      </p>
    ))}
  </div>
);
