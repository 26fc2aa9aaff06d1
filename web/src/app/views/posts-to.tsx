/** List of the posts to a person's followers, or in a group. */
import { postsToAudience } from "relationindex-client";
import { useList } from "relationindex-client/react";
import type { ReactElement } from "react";
import { useApp, useMine } from "../context";
import { ListView, Loading } from "./list";
import { PostRow, postSkeleton } from "./post";

interface Props {
  id: string;
  empty: ReactElement;
}

/** A moderator also sees hidden posts: the list begins when it is known whether the user is one. */
export function PostsTo(props: Props): ReactElement {
  const { moderator } = useApp();
  return moderator === undefined ? <Loading /> : <Posts {...props} moderator={moderator} />;
}

function Posts({ id, empty, moderator }: Props & { moderator: boolean }): ReactElement {
  const me = useMine();
  const list = useList(() => postsToAudience(me, id, { moderator }), [me, id, moderator]);
  return <ListView list={list} label="Posts" row={(item) => <PostRow item={item} />} skeleton={postSkeleton} empty={empty} />;
}
