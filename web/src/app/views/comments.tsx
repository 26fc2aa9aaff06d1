/** Comments of a post, the newest beside the form below them, with a button for earlier ones above. */
import { Ellipsis, Trash2 } from "lucide-react";
import { type Comment, deleteComment, errorMessage, maxComment, type Post, writeComment } from "relationindex-client";
import { useComments } from "relationindex-client/react";
import { type ReactElement, useRef } from "react";
import { Entry, Popover } from "../../shared/menu";
import { confirm, run } from "../../shared/say";
import { useApp, useFace, useMine, useOffline } from "../context";
import { href } from "../routes";
import { Avatar } from "./avatar";
import { useKeptFocus } from "./list";
import { Name } from "./name";
import { ShortText } from "./text";
import { Ago } from "./time";
import { sendingText, shownName } from "./words";
import { WriteForm } from "./write";

export function Comments({ post, close }: { post: Post; close: () => void }): ReactElement {
  const me = useMine();
  const { account, drafts } = useApp();
  const { items, status, error, more, moreError, loadingMore, loadMore } = useComments(post);
  const box = useRef<HTMLDivElement>(null);
  useKeptFocus(box);
  const place = `comment/${post.id}`;
  const problem = error ?? moreError;
  const state = problem ? errorMessage(problem) : status === "loading" ? "Loading…" : items.length === 0 && "No comments yet.";
  return (
    <div
      ref={box}
      className="comments"
      onKeyDown={({ key, target }) => {
        const typed = target instanceof HTMLTextAreaElement && target.value; // it would be lost
        if (key === "Escape" && !typed && !(target as Element).closest("[popover]")) close();
      }}
    >
      {state && (
        <p className="small muted" role="status">
          {state}
        </p>
      )}
      {more && (
        <button type="button" className="link small" onClick={loadMore}>
          {loadingMore ? "Loading…" : "Show earlier comments"}
        </button>
      )}
      <ul aria-label="Comments">
        {items.toReversed().map((comment) => (
          <CommentRow key={comment.id} post={post} comment={comment} />
        ))}
      </ul>
      <div className="comment">
        <Avatar account={account} small />
        <WriteForm
          label="Write a comment"
          placeholder="Say something about it"
          button="Comment"
          longest={maxComment}
          rows={1}
          addsUp
          start={() => drafts.get(place)?.text ?? ""}
          changed={(text) => drafts.keep(place, { text })}
          send={(text, giveBack) => {
            writeComment(me, post, text).catch((error: unknown) => giveBack(text, `Not sent. ${errorMessage(error)}`));
          }}
        />
      </div>
    </div>
  );
}

function CommentRow({ post, comment }: { post: Post; comment: Comment }): ReactElement {
  const me = useMine();
  const { moderator } = useApp();
  const offline = useOffline();
  const author = useFace(comment.userId);
  const profile = href({ to: "profile", uid: comment.userId });
  const remove = async () => {
    if (await confirm("Delete this comment?", "Delete")) run(deleteComment(me, comment), "", "Not deleted.");
  };
  return (
    <li className="comment item">
      <a href={profile} aria-hidden="true" tabIndex={-1}>
        <Avatar account={author ?? { id: comment.userId, name: "", photoURL: "" }} small />
      </a>
      <div>
        <div className="row">
          <a className="name" href={profile}>
            <Name of={author} />
          </a>
          <span className="muted small grow">{comment.sending ? sendingText(offline) : <Ago time={comment.createdAt} />}</span>
          {(moderator || [comment.userId, post.userId].includes(me.id)) && (
            <Popover face={<Ellipsis size={16} />} label={`More about the comment by ${shownName(author)}`}>
              <Entry icon={<Trash2 size={18} />} bad act={() => void remove()}>
                Delete
              </Entry>
            </Popover>
          )}
        </div>
        <ShortText className="post-text" text={comment.text} />
      </div>
    </li>
  );
}
