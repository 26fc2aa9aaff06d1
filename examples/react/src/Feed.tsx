import { type FormEvent, useState } from "react";
import { type Post as Written, writePost } from "relationindex-client";
import { useAuthor, useFeed, useLike, useMe } from "relationindex-client/react";

import { Problem, useAttempt } from "./attempt";
import type { Photo } from "./client";
import { List } from "./List";

export function Feed() {
  const posts = useFeed<Photo>();
  return (
    <>
      <Composer />
      <List label="Posts" list={posts} row={({ post }) => <Post post={post} />} />
    </>
  );
}

function Post({ post }: { post: Written<Photo> }) {
  const author = useAuthor(post);
  const { mine, count, toggle } = useLike(post);
  const { problem, attempt } = useAttempt();
  return (
    <>
      <strong>{author}</strong> <time dateTime={post.createdAt.toISOString()}>{post.createdAt.toLocaleString()}</time>
      <p>{post.text}</p>
      {post.fields.photo && <img src={post.fields.photo} alt="" />}
      <button onClick={() => attempt(toggle)}>
        {mine ? "Unlike" : "Like"} ({count})
      </button>
      <Problem error={problem} />
    </>
  );
}

function Composer() {
  const me = useMe();
  const [text, setText] = useState("");
  const { problem, attempt } = useAttempt();
  const send = (event: FormEvent) => {
    event.preventDefault();
    setText(""); // at once: offline, the server answers when the network is back
    attempt(() =>
      writePost(me, { text }).catch((error: unknown) => {
        setText((typed) => typed || text);
        throw error;
      }),
    );
  };
  return (
    <form onSubmit={send}>
      <label>
        Write a post <input value={text} onChange={(event) => setText(event.target.value)} required maxLength={2000} />
      </label>{" "}
      <button>Post</button>
      <Problem error={problem} />
    </form>
  );
}
