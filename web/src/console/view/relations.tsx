/** Table of a post's relations. A row shows the audience and the version of the index document that a relation copies. */
import { isolatedText } from "relationindex-client";
import type { ReactElement } from "react";
import { directIndex, type IndexDocument, type Relation, relation } from "../data/documents";
import { counted, useWatched } from "../data/live";
import { relationsOf } from "../data/queries";
import { clip, count, number } from "../words/numbers";
import { useDb, useNames } from "./context";
import { DocumentRow } from "./document-row";
import { Columns, Scroller, State } from "./panel";
import { Id, Rest, Text } from "./text";

/** account is the owner of the index documents. */
export function Relations({ account, post, index }: { account: string; post: string; index: IndexDocument[] }): ReactElement {
  const db = useDb(),
    names = useNames();
  const known = useWatched(() => post !== "" && counted(relation, relationsOf(db, post)), [db, post]);
  const { shown = [], count: total = 0 } = known.value ?? {};
  // Index documents of other accounts have the same ids. A relation of an earlier release copies one of the author's.
  const newer = (r: Relation) => {
    if (r.indexId === directIndex || (r.audience || account) !== account) return undefined;
    return index.find((d) => d.id === r.indexId && d.version > r.indexVersion)?.version;
  };
  const stale = shown.filter(newer).length;
  const none: false | [string, string] =
    post === ""
      ? ["No post chosen", "Choose a post to see its relations."]
      : known.value !== undefined &&
        shown.length === 0 && [
          "No relations yet",
          "A post has one for each index document of its audience, and one for the people that it names. A job may still be writing them: see Jobs. A hidden post has none.",
        ];
  return (
    <div className="detail">
      <div className="row wrap detail-head">
        <Text as="h3" title={post} text={post && `Relations of ${isolatedText(clip(post, 16))}`} />
        <span className="small muted">{shown.length > 0 && `${count(total, "relation")}${stale > 0 ? `, ${number(stale)} stale` : ""}`}</span>
      </div>
      <Scroller label="Relations">
        {shown.length > 0 && (
          <table className="relations">
            <Columns of={[["Index"], ["Followers"], ["Version"], ["Bytes"], ["Audience"]]} />
            <tbody>
              {shown.map((r) => (
                <DocumentRow
                  key={r.id}
                  {...r}
                  version={r.indexVersion}
                  newer={newer(r)}
                  label={`Followers in the relation of index document ${isolatedText(r.indexId)}`}
                  name={r.indexId === directIndex ? <code title={r.id}>direct</code> : <Id id={r.indexId} most={12} />}
                >
                  <Text
                    as="td"
                    className="audience muted"
                    title={r.audience}
                    text={r.indexId === directIndex ? "people named" : r.audience === "" ? "not said" : names.person(r.audience)}
                  />
                </DocumentRow>
              ))}
            </tbody>
          </table>
        )}
        <Rest n={total - shown.length} />
        <State of={known} what="The relations" rows={3} none={none} />
      </Scroller>
    </div>
  );
}
