/** Row that shows a part of a timeline: a bucket, a day or items, with the entries. */
import { isolatedText } from "relationindex-client";
import { type ReactElement, useState } from "react";
import type { Entry } from "../data/timeline";
import { clip, count, outOf } from "../words/numbers";
import type { Part } from "../words/timeline";
import { Meter } from "./bar";
import { useNames } from "./context";
import { useFlash } from "./flash";
import { Id, Rest, Text } from "./text";
import { When } from "./when";

/** The most entries of a part that are shown. */
const mostEntries = 50;

/** unfolded says whether the entries are shown at first. */
export function PartRow({ part: { id, name, entries, most, about, slot }, unfolded }: { part: Part; unfolded: boolean }): ReactElement {
  const [open, setOpen] = useState(unfolded);
  const n = entries.length,
    text = most > 0 ? outOf(n, most) : count(n, "entry", "entries");
  const head = useFlash<HTMLElement>(n);
  return (
    <li className="part opens">
      <details open={open} data-id={id} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary ref={head} className="row wrap">
          <Id id={name} most={24} />
          <span className="small muted">{about}</span>
          <span className="small figure">{text}</span>
          {(most > 0 || slot !== "") && (
            <span className="row filled">
              {most > 0 && <Meter label={`Entries in ${isolatedText(name)}`} value={n} max={most} text={text} />}
              {slot && <span className={`badge ${slot === "newest" ? "accent" : "warn"}`}>{slot}</span>}
            </span>
          )}
        </summary>
        {/* Folded entries have no elements, because a bucket may have a thousand entries. */}
        <ol className="entries">{open && entries.slice(0, mostEntries).map((e) => <EntryRow key={e.post} entry={e} />)}</ol>
        <Rest n={n - mostEntries} />
      </details>
    </li>
  );
}

function EntryRow({ entry: { post, author, audience, kind, at } }: { entry: Entry }): ReactElement {
  const names = useNames();
  const by = author === "" ? "no author" : names.person(author),
    to = audience === author ? "" : audience === "" ? "to the reader" : `in ${names.person(audience)}`;
  return (
    <li className="entry opens">
      <Text className="name" title={[author, audience].filter(Boolean).join("\n")} text={[by, to].filter(Boolean).join(", ")} />
      {kind && <Text className="badge" text={isolatedText(clip(kind, 12))} />}
      <Id className="muted" id={post} most={16} />
      <When at={at} />
    </li>
  );
}
