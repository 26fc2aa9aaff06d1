/** Panel of timelines: a list of readers to choose from, and the parts of the chosen one's timeline: buckets, days or items. */
import { isGroup, isolatedText } from "relationindex-client";
import { useEffect, useState } from "react";
import { counted, live, useWatched } from "../data/live";
import { readersOf, timelineOf } from "../data/queries";
import { choose, selection } from "../data/selection";
import { type Entry, timelineDocument } from "../data/timeline";
import { clip, count, outOf } from "../words/numbers";
import { type Part, parts, summary } from "../words/timeline";
import { Meter } from "./bar";
import { useConsole } from "./context";
import { useFlash } from "./flash";
import { Choice, Choices, Detail, Panel } from "./panel";
import { Id, Rest, Text, When } from "./text";

export function TimelinePanel() {
  const { db, names, author, post, reader } = useConsole();
  const followers = useWatched(() => author !== "" && live((id) => ({ id }), readersOf(db, author)), [db, author]);
  const timeline = useWatched(() => reader !== "" && counted(timelineDocument, ...timelineOf(db, reader)), [db, reader]);
  const newest = followers.value?.[0]?.id;
  useEffect(() => {
    if (reader === "" && newest && selection().author === author) choose({ ...selection(), reader: newest });
  }, [author, reader, newest]);

  const offered = [...(author && !isGroup(author) ? [author] : []), ...(followers.value ?? []).map(({ id }) => id)];
  const readers = new Set(reader === "" || offered.includes(reader) ? offered : [reader, ...offered]);
  const choices = [...readers].map((id) => (
    <Choice key={id} id={id} chosen={reader} choose={() => choose({ author, post, reader: id })} name={names.person(id, 22)}>
      <Id id={id} most={20} />
    </Choice>
  ));
  const { shown = [], count: total = 0 } = timeline.value ?? {};
  const more = total - shown.length;
  const none = reader
    ? timeline.value && total === 0 && "Nothing yet\nA post of somebody whom the reader follows is the first entry."
    : "No reader chosen\nThe newest followers of the chosen author are offered, and the author.";
  const head = { id: reader, title: reader && `Timeline of ${names.person(reader)}`, about: summary(shown) };
  const rows = parts(shown).map((part, n) => <PartRow key={`${reader}/${part.id}`} part={part} unfolded={n === 0} />);
  return (
    <Panel title="Timeline" summary={timeline.value ? count(total, "document") : ""} other="Post">
      <Choices label="Readers" rows={choices} of={followers} what="The followers" />
      <Detail {...head} label="Entries of the timeline" of={timeline} what="The timeline" loading={4} none={none}>
        <ul className="parts">{rows}</ul>
        <Rest n={more} words={count(more, "more document")} />
      </Detail>
    </Panel>
  );
}

/** The most entries of a part that are shown. Folded entries have no elements, because a bucket may have a thousand. */
const mostEntries = 50;

/** unfolded says whether the entries are shown at first. */
export function PartRow({ part: { id, name, entries, most, about, slot }, unfolded }: { part: Part; unfolded: boolean }) {
  const [open, setOpen] = useState(unfolded);
  const n = entries.length,
    text = most > 0 ? outOf(n, most) : count(n, "entry", "entries");
  const head = useFlash<HTMLElement>(n);
  return (
    <li className="part opens">
      <details open={open} data-id={id} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary ref={head} className="row wrap">
          <Id id={name} most={24} className="" />
          <span className="small muted">{about}</span>
          <span className="small figure">{text}</span>
          {(most > 0 || slot !== "") && (
            <span className="row filled">
              {most > 0 && <Meter label={`Entries in ${isolatedText(name)}`} value={n} max={most} text={text} />}
              {slot && <span className={`badge ${slot === "newest" ? "accent" : "warn"}`}>{slot}</span>}
            </span>
          )}
        </summary>
        <ol className="entries">{open && entries.slice(0, mostEntries).map((e) => <EntryRow key={e.post} entry={e} />)}</ol>
        <Rest n={n - mostEntries} />
      </details>
    </li>
  );
}

function EntryRow({ entry: { post, author, audience, kind, at } }: { entry: Entry }) {
  const { names } = useConsole();
  const by = author === "" ? "no author" : names.person(author),
    to = audience === author ? "" : audience === "" ? "to the reader" : `in ${names.person(audience)}`;
  return (
    <li className="entry opens">
      <Text className="name" title={[author, audience].filter(Boolean).join("\n")} text={[by, to].filter(Boolean).join(", ")} />
      {kind && <Text className="badge" text={isolatedText(clip(kind, 12))} />}
      <Id id={post} most={16} />
      <When at={at} />
    </li>
  );
}
