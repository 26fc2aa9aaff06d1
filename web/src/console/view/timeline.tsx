/** Panel of timelines: a list of readers to choose from, and the timeline of the chosen reader. */
import { isGroup } from "relationindex-client";
import { type ReactElement, useEffect } from "react";
import { counted, live, useWatched } from "../data/live";
import { readersOf, timelineOf } from "../data/queries";
import { choose, useSelected } from "../data/selection";
import { timelineDocument } from "../data/timeline";
import { count } from "../words/numbers";
import { parts, summary } from "../words/timeline";
import { useDb, useNames } from "./context";
import { Choice, Choices, type Other, Panel, Scroller, State } from "./panel";
import { PartRow } from "./part";
import { Id, Rest, Text } from "./text";

export function TimelinePanel({ other }: { other: Other | undefined }): ReactElement {
  const db = useDb(),
    names = useNames(),
    selected = useSelected(),
    { author, reader } = selected;
  const followers = useWatched(() => author !== "" && live((id) => ({ id }), readersOf(db, author)), [db, author]);
  const timeline = useWatched(() => reader !== "" && counted(timelineDocument, timelineOf(db, reader)), [db, reader]);
  const newest = followers.value?.[0]?.id;
  useEffect(() => {
    if (selected.reader === "" && newest) choose({ ...selected, reader: newest });
  }, [selected, newest]);

  const known = [...(author && !isGroup(author) ? [author] : []), ...(followers.value ?? []).map(({ id }) => id)];
  const readers = new Set(reader === "" || known.includes(reader) ? known : [reader, ...known]);
  const { shown = [], count: total = 0 } = timeline.value ?? {};
  const more = total - shown.length,
    all = parts(shown);
  const none: false | [string, string] =
    reader === ""
      ? ["No reader chosen", "The newest followers of the chosen author are offered, and the author."]
      : timeline.value !== undefined && total === 0 && ["Nothing yet", "A post of somebody whom the reader follows is the first entry."];
  return (
    <Panel name="timeline" title="Timeline" summary={timeline.value ? count(total, "document") : ""} other={other}>
      <div className="rail">
        <Choices label="Readers" state={<State of={followers} what="The followers" />}>
          {[...readers].map((id) => (
            <Choice key={id} id={id} chosen={id === reader} choose={() => choose({ ...selected, reader: id })}>
              <span className="grow stacked">
                <Text className="name" text={names.person(id, 22)} />
                <Id className="muted" id={id} most={20} />
              </span>
            </Choice>
          ))}
        </Choices>
      </div>
      <div className="detail">
        <div className="row wrap detail-head">
          <Text as="h3" title={reader} text={reader && `Timeline of ${names.person(reader)}`} />
          <span className="small muted">{summary(shown)}</span>
        </div>
        <Scroller label="Entries of the timeline">
          <ul className="parts">
            {all.map((part) => (
              <PartRow key={`${reader}/${part.id}`} part={part} unfolded={part === all[0]} />
            ))}
          </ul>
          <Rest n={more} words={count(more, "more document")} />
          <State of={timeline} what="The timeline" rows={4} none={none} />
        </Scroller>
      </div>
    </Panel>
  );
}
