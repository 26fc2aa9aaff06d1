/** Panel of posts: the author's newest posts, and the relations of the chosen post. */
import { isolatedText } from "relationindex-client";
import { useEffect } from "react";
import { directIndex, type IndexDocument, type Post, post, type Relation, relation } from "../data/documents";
import { counted, live, useWatched } from "../data/live";
import { newestPosts, postsOf, relationsOf } from "../data/queries";
import { choose, selection } from "../data/selection";
import { clip, count, number } from "../words/numbers";
import { tallies } from "../words/tallies";
import { useConsole } from "./context";
import { DocumentRow } from "./document-row";
import { Choice, Choices, Detail, Panel, Table } from "./panel";
import { Id, Rest, Text, When } from "./text";

export function PostPanel({ index }: { index: IndexDocument[] }) {
  const { db, names, author, post: chosen } = useConsole();
  const posts = useWatched(() => author !== "" && live(post, postsOf(db, author)), [db, author]);
  const { value } = posts,
    newest = value?.[0]?.id;
  useEffect(() => value?.forEach((p) => names.learn("posts", p.id, p.author)), [names, value]);
  useEffect(() => {
    if (chosen === "" && newest && selection().author === author) choose({ ...selection(), post: newest });
  }, [author, chosen, newest]);
  const summary = !value ? "" : value.length === newestPosts ? `the newest ${newestPosts}` : count(value.length, "post");
  const none = author ? value?.length === 0 && "No posts yet\nThe Play menu lets the author post." : "No author chosen\nPosts of the chosen author are here.";
  return (
    <Panel title="Post" summary={summary} other={db.timelines && "Timeline"}>
      <Choices label="Posts" rows={value?.map((p) => <PostRow key={p.id} {...p} />)} of={posts} what="The posts" loading={4} none={none} />
      <Relations index={index} />
    </Panel>
  );
}

function PostRow(p: Post) {
  const { names, author, post: chosen } = useConsole(),
    readers = readersOf(p, names.person),
    counts = tallies(p.counts),
    hidden = p.hidden && <span className="badge warn">Hidden</span>;
  return (
    <Choice id={p.id} chosen={chosen} choose={() => choose({ author, post: p.id })} name={isolatedText(clip(p.text || p.id, 48))} badges={hidden}>
      {readers && <Text className="small muted name" title={[p.audience, ...p.to].filter(Boolean).join("\n")} text={readers} />}
      {counts && <span className="small muted name">{counts}</span>}
      <span className="row">
        <Id id={p.id} most={12} />
        <When at={p.createdAt} />
      </span>
    </Choice>
  );
}

/** Returns "in Team, to Bob and 2 more"; "" for a post to the author's followers alone. */
function readersOf({ author, audience, to: [first, ...others] }: Post, nameOf: (uid: string) => string): string {
  const to = first === undefined ? "" : `to ${nameOf(first)}${others.length > 0 ? ` and ${number(others.length)} more` : ""}`;
  if (audience === "") return to || "to nobody";
  return [audience !== author && `in ${nameOf(audience)}`, to].filter(Boolean).join(", ");
}

const noRelations =
  "No relations yet\nA post has one for each index document of its audience, and one for the people that it names. A job may still be writing them: see Jobs. A hidden post has none.";

/** A row shows the audience and the version of the index document that a relation copies. */
function Relations({ index }: { index: IndexDocument[] }) {
  const { db, names, author, post } = useConsole();
  const known = useWatched(() => post !== "" && counted(relation, ...relationsOf(db, post)), [db, post]);
  const { shown = [], count: total = 0 } = known.value ?? {};
  // Index documents of other accounts have the same ids. A relation of an earlier release copies one of the author's.
  const newer = (r: Relation) =>
    r.indexId !== directIndex && (r.audience || author) === author ? index.find((d) => d.id === r.indexId && d.version > r.version)?.version : undefined;
  const stale = shown.filter(newer).length;
  const none = post ? known.value && shown.length === 0 && noRelations : "No post chosen\nChoose a post to see its relations.";
  const state = { of: known, what: "The relations", loading: 3, none };
  const about = shown.length === 0 ? "" : `${count(total, "relation")}${stale > 0 ? `, ${number(stale)} stale` : ""}`;
  const audience = (r: Relation) => (r.indexId === directIndex ? "people named" : r.audience === "" ? "not said" : names.person(r.audience));
  const rows = shown.map((r) => (
    <DocumentRow key={r.id} {...r} label={`the relation of index document ${isolatedText(r.indexId)}`} newer={newer(r)}>
      <Text as="td" className="audience muted" title={r.audience} text={audience(r)} />
    </DocumentRow>
  ));
  return (
    <Detail id={post} title={post && `Relations of ${isolatedText(clip(post, 16))}`} about={about} label="Relations" {...state}>
      <Table name="relations" columns={["Index", "Followers", "Version", "Bytes", "Audience"]} rows={rows} />
      <Rest n={total - shown.length} />
    </Detail>
  );
}
