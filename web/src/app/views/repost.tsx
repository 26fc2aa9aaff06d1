/** Row that shows a repost in a list: the accounts that reposted, and the post itself. */
import { Repeat2 } from "lucide-react";
import { deletePost, type Fields } from "relationindex-client";
import { usePost } from "relationindex-client/react";
import type { ReactElement } from "react";
import { run } from "../../shared/say";
import { useApp, useFace, useMine } from "../context";
import { href } from "../routes";
import { Failed } from "./list";
import { Name } from "./name";
import { type PostItem, postSkeleton } from "./post";
import { PostMenu } from "./post-menu";

const mostNamed = 2;

interface Props {
  item: PostItem;
  hidden?: (() => void) | undefined;
  show: (original: PostItem) => ReactElement;
}

/** Costs a read of the post, and one for each change. */
export function RepostRow({ item, hidden, show }: Props): ReactElement {
  const me = useMine();
  const { reposted } = useApp();
  const { post } = item;
  const { now: original, error } = usePost<Fields>(post.repostOf);
  const reposters = item.reposters ?? [post.userId];
  const takeBack = () =>
    run(
      deletePost(me, item.id).then(() => reposted.delete(post.repostOf)),
      "Taken back.",
      "Not taken back.",
    );
  return (
    <div className="repost">
      <div className="reposters small muted">
        <Repeat2 size={16} />
        <Reposters ids={reposters} />
        {post.userId === me.id && (
          <button type="button" className="link" aria-label="Take the repost back" onClick={takeBack}>
            Take back
          </button>
        )}
        {post.userId !== me.id && <PostMenu item={item} edit={() => {}} draft={false} drop={() => {}} hidden={hidden} />}
      </div>
      {error && original === undefined ? (
        <Failed error={error} />
      ) : original === undefined ? (
        postSkeleton
      ) : original && !original.repostOf ? (
        show({ id: original.id, post: original, reposters })
      ) : (
        <p className="muted not-here">This post is not here</p>
      )}
    </div>
  );
}

/** "Ada reposted", "Ada and Bob reposted", "Ada, Bob and 1 other reposted" */
function Reposters({ ids }: { ids: string[] }): ReactElement {
  const named = ids.slice(0, mostNamed);
  const others = ids.length - named.length;
  return (
    <span className="grow">
      {named.map((id, i) => (
        <span key={id}>
          {i > 0 && (others > 0 ? ", " : " and ")}
          <Reposter id={id} />
        </span>
      ))}
      {others > 0 && ` and ${others} ${others === 1 ? "other" : "others"}`} reposted
    </span>
  );
}

function Reposter({ id }: { id: string }): ReactElement {
  const me = useMine();
  const account = useFace(id);
  return (
    <a className="name" href={href({ to: "profile", uid: id })}>
      {id === me.id ? "You" : <Name of={account} />}
    </a>
  );
}
