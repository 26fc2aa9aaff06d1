import { type FormEvent, useMemo, useState } from "react";
import { feed, newPostId, OwnLikes, type Post as Written, writePost } from "relationindex-client";
import { useLike, useList, useName } from "relationindex-client/react";

import { Problem, useAttempt } from "./attempt";
import { client, every, names } from "./client";
import { List } from "./List";
import { People } from "./People";

export function Feed({ me }: { me: string }) {
  const posts = useList(() => feed(client, me, { every }), [me]);
  const likes = useMemo(() => new OwnLikes(client.db, me), [me]);
  return (
    <>
      <Composer me={me} />
      <List label="Posts" list={posts} row={({ post }) => <Post post={post} likes={likes} />} />
      <People me={me} followed={() => setTimeout(posts.refresh, 1_000)} />
    </>
  );
}

function Post({ post, likes }: { post: Written; likes: OwnLikes }) {
  const author = useName(names, post.userId);
  const { mine, count, toggle } = useLike(likes, post);
  const { problem, attempt } = useAttempt();
  return (
    <>
      <strong>{author}</strong> <time dateTime={post.createdAt.toISOString()}>{post.createdAt.toLocaleString()}</time>
      <p>{post.text}</p>
      <button onClick={() => attempt(toggle)}>{mine ? "Unlike" : "Like"} ({count})</button>
      <Problem error={problem} />
    </>
  );
}

function Composer({ me }: { me: string }) {
  const [text, setText] = useState("");
  const { problem, attempt } = useAttempt();
  const send = (event: FormEvent) => {
    event.preventDefault();
    setText(""); // at once: offline, the server answers when the network is back
    attempt(() => writePost(client.db, newPostId(client.db), me, { text }).catch((error: unknown) => {
      setText((typed) => typed || text);
      throw error;
    }));
  };
  return (
    <form onSubmit={send}>
      <label>Write a post <input value={text} onChange={(event) => setText(event.target.value)} required maxLength={2000} /></label> <button>Post</button>
      <Problem error={problem} />
    </form>
  );
}
