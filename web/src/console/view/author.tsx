/** Panel of authors: a list to choose from, and the chosen author's index documents as bars that fill to capacity. */
import { isGroup, isolatedText } from "relationindex-client";
import { type ReactElement, useEffect } from "react";
import type { Live } from "../data/live";
import { useSelected } from "../data/selection";
import type { Window } from "../data/window";
import { bytes, count, number } from "../words/numbers";
import { tallies } from "../words/tallies";
import { useDb, useNames } from "./context";
import { DocumentRow } from "./document-row";
import { Notifications } from "./notifications";
import { Columns, Panel, Scroller, State } from "./panel";
import { People } from "./people";
import { Id, Rest, Text } from "./text";

export function AuthorPanel({ index }: { index: Live<Window> }): ReactElement {
  const db = useDb(),
    names = useNames(),
    { author } = useSelected();
  const { account, newest = [], total = 0 } = index.value ?? {};
  useEffect(() => names.learn(author, account?.name ?? ""), [names, author, account]);
  const older = total - newest.length,
    followers = newest.reduce((n, d) => n + d.count, 0);
  const summary = account ? `${count(total, "index document")}, ${count(followers, "follower")}${older > 0 ? ` in the newest ${newest.length}` : ""}` : "";
  const none: false | [string, string] =
    author === ""
      ? ["No author chosen", "Choose one from the list, or let the Play menu make one."]
      : account !== undefined && newest.length === 0 && ["No followers yet", "The first follow opens an index document."];
  return (
    <Panel name="author" title="Author" summary={summary}>
      <People />
      <div className="detail">
        <div className="row wrap detail-head">
          <Text as="h3" title={author} text={author && names.person(author)} />
          {isGroup(author) && <span className="badge accent">Group</span>}
          <span className="small muted">{tallies(account?.counts ?? {})}</span>
        </div>
        <Scroller label="Index documents">
          {newest.length > 0 && (
            <table className="index-documents">
              <Columns of={[["Index"], ["Followers", ` of ${number(db.capacity)}`], ["Version"], ["Bytes", ` of ${bytes(db.budgetBytes)}`]]} />
              <tbody>
                {newest.map((d) => (
                  <DocumentRow
                    key={d.id}
                    {...d}
                    indexId={d.id}
                    followers={d.count}
                    label={`Followers in index document ${isolatedText(d.id)}`}
                    title={d.backfilled ? "" : "Not every post has its relation yet: backfill is under way."}
                    name={<Id id={d.id} most={12} />}
                  />
                ))}
              </tbody>
            </table>
          )}
          <Rest n={older} />
          <State of={index} what="The index documents" rows={4} none={none} />
        </Scroller>
        {db.notifications && <Notifications account={author} />}
      </div>
    </Panel>
  );
}
