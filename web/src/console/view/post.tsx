/** Panel of posts: the author's newest posts, and the relations of the chosen post. */
import { isolatedText } from "relationindex-client";
import { type ReactElement, useEffect } from "react";
import { type Post, post } from "../data/documents";
import { live, useWatched } from "../data/live";
import { newestPosts, postsOf } from "../data/queries";
import { choose, useSelected } from "../data/selection";
import type { IndexDocument } from "../data/documents";
import { clip, count, number } from "../words/numbers";
import { tallies } from "../words/tallies";
import { useDb, useNames } from "./context";
import { Choice, Choices, type Other, Panel, State } from "./panel";
import { Relations } from "./relations";
import { Id, Text } from "./text";
import { When } from "./when";

export function PostPanel({ index, other }: { index: IndexDocument[]; other: Other | undefined }): ReactElement {
  const db = useDb(),
    names = useNames(),
    { author, post: chosen } = useSelected();
  const posts = useWatched(() => author !== "" && live(post, postsOf(db, author)), [db, author]);
  const { value } = posts,
    newest = value?.[0]?.id;
  useEffect(() => value?.forEach((p) => names.learnAuthor(p.id, p.author)), [names, value]);
  useEffect(() => {
    if (chosen === "" && newest) choose({ author, post: newest });
  }, [author, chosen, newest]);
  const summary = !value ? "" : value.length === newestPosts ? `the newest ${newestPosts}` : count(value.length, "post");
  const none: false | [string, string] =
    author === ""
      ? ["No author chosen", "Posts of the chosen author are here."]
      : value?.length === 0 && ["No posts yet", "The Play menu lets the author post."];
  return (
    <Panel name="post" title="Post" summary={summary} other={other}>
      <div className="rail">
        <Choices label="Posts" state={<State of={posts} what="The posts" rows={4} none={none} />}>
          {value?.map((p) => (
            <PostRow key={p.id} post={p} chosen={p.id === chosen} choose={() => choose({ author, post: p.id })} />
          ))}
        </Choices>
      </div>
      <Relations account={author} post={chosen} index={index} />
    </Panel>
  );
}

function PostRow({ post: p, chosen, choose }: { post: Post; chosen: boolean; choose: () => void }): ReactElement {
  const names = useNames(),
    readers = readersOf(p, names.person),
    counts = tallies(p.counts);
  return (
    <Choice id={p.id} chosen={chosen} choose={choose}>
      <span className="grow stacked">
        <Text className="name" text={isolatedText(clip(p.text || p.id, 48))} />
        {readers && <Text className="small muted name" title={[p.audience, ...p.to].filter(Boolean).join("\n")} text={readers} />}
        {counts && <span className="small muted name">{counts}</span>}
        <span className="row">
          <Id className="muted" id={p.id} most={12} />
          <When at={p.createdAt} />
        </span>
      </span>
      {p.hidden && <span className="badge warn">Hidden</span>}
    </Choice>
  );
}

/** Returns "in Team, to Bob and 2 more"; "" for a post to the author's followers alone. */
function readersOf(p: Post, nameOf: (uid: string) => string): string {
  const [first, ...others] = p.to;
  const parts = [
    p.audience === "" && first === undefined && "to nobody",
    p.audience !== "" && p.audience !== p.author && `in ${nameOf(p.audience)}`,
    first !== undefined && `to ${nameOf(first)}${others.length > 0 ? ` and ${number(others.length)} more` : ""}`,
  ];
  return parts.filter(Boolean).join(", ");
}
