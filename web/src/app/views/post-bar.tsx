/** The bar below a post: comments, reposts and likes, at fixed columns, with their numbers. */
import { Heart, type LucideIcon, MessageCircle, Repeat2 } from "lucide-react";
import { errorMessage, type Post, repost, undoRepost } from "relationindex-client";
import { useLike } from "relationindex-client/react";
import { type ReactElement, useState } from "react";
import { announce } from "../../shared/say";
import { useApp, useFace, useMine } from "../context";
import { counted } from "./words";

interface Props {
  post: Post;
  /** The accounts that the row names as reposters. */
  reposted: string[] | undefined;
  talking: boolean;
  talk: () => void;
}

export function PostBar({ post, reposted, talking, talk }: Props): ReactElement {
  const { counts, notifications } = useApp().config;
  const comments = counts ? post.comments : 0;
  return (
    <div className="post-bar">
      <button
        type="button"
        aria-expanded={talking}
        aria-label={counts ? `Comments, ${counted(comments, "comment")}` : "Comments"}
        title="Comments"
        onClick={talk}
      >
        <MessageCircle size={18} />
        <Count count={comments} />
      </button>
      <RepostButton post={post} reposted={reposted} />
      {(counts || notifications) && <LikeButton post={post} shows={counts ?? false} />}
    </div>
  );
}

const Count = ({ count }: { count: number }) => <span className="number">{count > 0 && count.toLocaleString()}</span>;

interface ToggleProps {
  icon: LucideIcon;
  look: string;
  label: string;
  title: string;
  pressed: boolean;
  count?: number;
  press: () => void;
}

const Toggle = ({ icon: Icon, look, label, title, pressed, count = 0, press }: ToggleProps) => (
  <button type="button" className={look} aria-pressed={pressed} aria-label={label} title={title} onClick={press}>
    <Icon size={18} fill={pressed && look === "like" ? "currentColor" : "none"} strokeWidth={pressed ? 2.75 : 2} />
    <Count count={count} />
  </button>
);

function LikeButton({ post, shows }: { post: Post; shows: boolean }): ReactElement {
  const { mine, count, toggle } = useLike(post);
  const press = () => toggle().catch((error: unknown) => announce(`${mine ? "Still liked." : "Not liked."} ${errorMessage(error)}`, true));
  const label = shows ? `Like, ${counted(count, "like")}` : "Like";
  return <Toggle icon={Heart} look="like" label={label} title="Like" pressed={mine} count={shows ? count : 0} press={() => void press()} />;
}

/**
 * Shows for posts of other authors that everybody may read. Reads nothing to find whether the user has reposted the post: it is pressed
 * if the row names the user as a reposter, or if the user has reposted the post since the page was opened.
 */
function RepostButton({ post, reposted }: { post: Post; reposted: string[] | undefined }): ReactElement {
  const me = useMine();
  const app = useApp();
  const author = useFace(post.userId);
  const [pressed, setPressed] = useState(() => (reposted?.includes(me.id) ?? false) || app.reposted.has(post.id));
  const isOpen = author && author.name !== "" && !author.closed && post.userId !== me.id;
  if (!isOpen || post.audience !== post.userId || post.hidden || post.sending)
    return (
      <span className="no-repost" aria-hidden="true">
        <Repeat2 size={18} />
      </span>
    );
  const turn = (next: boolean) => {
    setPressed(next);
    if (next) app.reposted.add(post.id);
    else app.reposted.delete(post.id);
  };
  const press = () => {
    const next = !pressed;
    turn(next);
    (next ? repost : undoRepost)(me, post.id).then(
      () => announce(next ? "Reposted." : "Taken back."),
      (error: unknown) => {
        if (app.reposted.has(post.id) === next) turn(!next); // unless it was pressed again meanwhile
        announce(`${next ? "Not reposted." : "Not taken back."} ${errorMessage(error)}`, true);
      },
    );
  };
  return <Toggle icon={Repeat2} look="repost" label="Repost" title="Repost" pressed={pressed} press={press} />;
}
