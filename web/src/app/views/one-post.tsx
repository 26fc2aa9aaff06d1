/** Page of a single post, with its comments, at an address of its own. */
import type { Fields } from "relationindex-client";
import { usePost } from "relationindex-client/react";
import type { ReactElement } from "react";
import { href } from "../routes";
import { Empty, Failed, Loading, Title } from "./list";
import { PostRow } from "./post";

export function OnePostPage({ id }: { id: string }): ReactElement {
  const { now: post, error } = usePost<Fields>(id);
  return (
    <>
      <Title back>Post</Title>
      {post ? (
        <ul className="list" aria-label="Post">
          <li className="item">
            <PostRow item={{ id, post }} open />
          </li>
        </ul>
      ) : error && post === undefined ? (
        <Failed error={error} />
      ) : post === undefined ? (
        <Loading />
      ) : (
        <div role="status">
          <Empty
            title="This post is not here"
            action={
              <a className="button primary" href={href({ to: "feed" })}>
                Go to your feed
              </a>
            }
          >
            It may have been deleted or hidden, or it is not for you.
          </Empty>
        </div>
      )}
    </>
  );
}
