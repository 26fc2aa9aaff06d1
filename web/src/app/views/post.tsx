/** A post in a list: its author, its text, the bar with its numbers, and the menu with the rest. */
import { AtSign, Clock, Lock, Tag, Users } from "lucide-react";
import { editPost, type Entry, errorMessage, type Fields, isGroup, isolatedText, isTag, type Post, tagsOf } from "relationindex-client";
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";
import { announce } from "../../shared/say";
import { Words } from "../../shared/words";
import { isInSight, useApp, useFace, useMine, useOffline } from "../context";
import { href } from "../routes";
import { Avatar } from "./avatar";
import { Comments } from "./comments";
import { Name } from "./name";
import { photoOf } from "./pictures";
import { PostBar } from "./post-bar";
import { PostMenu } from "./post-menu";
import { RepostRow } from "./repost";
import { LongText } from "./text";
import { Ago } from "./time";
import { sendingText } from "./words";
import { WriteForm } from "./write";

/** An item of a list, with its post. */
export interface PostItem extends Pick<Entry<Fields>, "id" | "post" | "reposters" | "ids" | "place"> {}

interface Props {
  item: PostItem;
  /** Whether the comments are open from the start. */
  open?: boolean;
  /** Called when the reader hides the post. */
  hidden?: () => void;
}

/** The row of a post, or of a repost. */
export const PostRow = ({ item, open = false, hidden }: Props): ReactElement =>
  item.post.repostOf ? (
    <RepostRow item={item} hidden={hidden} show={(original) => <PostArticle item={original} open={open} />} />
  ) : (
    <PostArticle item={item} open={open} hidden={hidden} />
  );

interface ArticleProps {
  item: PostItem;
  open: boolean;
  hidden?: (() => void) | undefined;
}

function PostArticle({ item, open, hidden }: ArticleProps): ReactElement {
  const { post } = item;
  const author = useFace(post.userId);
  const offline = useOffline();
  const article = useRef<HTMLElement>(null);
  const editing = useEditing(
    post,
    () => article.current?.querySelector<HTMLElement>(".post-menu button")?.focus(),
    () => isInSight(article.current),
  );
  const stored = useStored(post);
  const [talking, setTalking] = useState(open);
  const profile = href({ to: "profile", uid: post.userId });
  return (
    <article ref={article} className={post.sending ? "post sending" : "post"}>
      <a className="face" href={profile} aria-hidden="true" tabIndex={-1}>
        <Avatar account={author ?? { id: post.userId, name: post.authorName, photoURL: "" }} />
      </a>
      <header>
        <a className="name" href={profile}>
          <Name of={author ?? (post.authorName ? { name: post.authorName } : author)} />
        </a>
        {post.sending ? (
          <span className="muted small badge-line">
            <Clock size={14} /> {sendingText(offline)}
          </span>
        ) : (
          <a className="when muted small" href={href({ to: "post", id: post.id })}>
            <Ago time={post.createdAt} />
          </a>
        )}
        {post.edited && !post.sending && <span className="muted small">· edited</span>}
        {post.kind && (
          <span className="muted small clip">
            <Tag size={12} /> <Words text={isolatedText(post.kind)} />
          </span>
        )}
        {post.hidden && <span className="badge warn">{post.judged ? "Taken down" : "Hidden from everyone"}</span>}
        <span className="grow" />
        {stored && <PostMenu item={item} edit={editing.open} draft={editing.isDraft} drop={editing.drop} hidden={hidden} />}
      </header>
      <div className="post-body">
        <ReadersLine post={post} />
        {editing.form ?? <LongText text={editing.text} card />}
        <PostPhoto post={post} />
        <AboutLine post={post} />
        {!editing.form &&
          (stored ? (
            <PostBar post={post} reposted={item.reposters} talking={talking} talk={() => setTalking((before) => !before)} />
          ) : (
            <div className="post-bar" />
          ))}
        {talking && stored && (
          <Comments
            post={post}
            close={() => {
              setTalking(false);
              article.current?.querySelector<HTMLElement>(".post-bar button")?.focus();
            }}
          />
        )}
      </div>
    </article>
  );
}

/** Whether the server has had the post: before, it would not find the post, and an edit does not change that. */
function useStored({ sending }: Post): boolean {
  const stored = useRef(!sending);
  stored.current ||= !sending;
  return stored.current;
}

/** The user's last edit shows until the list has it or, once it is sent, another text than before. */
interface Edited {
  before: string;
  now: string;
  sent: boolean;
}

function useEditing(post: Post, closed: () => void, isHere: () => boolean) {
  const me = useMine();
  const { drafts } = useApp();
  const [edited, setEdited] = useState<Edited>();
  const [form, setForm] = useState<{ reason: string }>();
  const field = useRef<HTMLTextAreaElement>(null);
  const place = `edit/${post.id}`;
  const isOver = !edited || post.text === edited.now || (edited.sent && post.text !== edited.before);
  const text = isOver ? post.text : edited.now;
  const drop = () => drafts.keep(place, { text: "" });
  const close = () => {
    setForm(undefined);
    setTimeout(closed); // the menu is in the page again
  };
  useEffect(() => {
    if (form) field.current?.focus();
  }, [form]);

  const send = (changed: string) => {
    close();
    drop();
    if (changed === text) return;
    const mine = { before: post.text, now: changed, sent: false };
    setEdited(mine);
    // After a crash right here, the change is in this device's cache. It is sent when the page is opened again.
    editPost(me, post, changed).then(
      () => setEdited((now) => (now === mine ? { ...mine, sent: true } : now)),
      (error: unknown) => {
        setEdited((now) => (now === mine ? undefined : now));
        const reason = `Not saved. ${errorMessage(error)}`;
        if (field.current?.isConnected && field.current.value !== changed) return announce(reason, true); // the user writes another edit already
        // Kept as a draft, because the user may have left the page meanwhile.
        drafts.keep(place, { text: changed });
        setForm({ reason });
        if (!isHere()) announce(`${reason} Your text is kept.`, true);
      },
    );
  };
  return {
    text,
    drop,
    isDraft: drafts.get(place) !== undefined,
    open: () => setForm({ reason: "" }),
    form: form && (
      <WriteForm
        key={form.reason}
        label="Edit the post"
        button="Save"
        field={field}
        reason={form.reason}
        start={() => drafts.get(place)?.text ?? text}
        changed={(typed) => drafts.keep(place, { text: typed === text ? "" : typed })}
        cancel={(keep) => {
          if (!keep) drop();
          close();
        }}
        send={send}
      />
    ),
  };
}

const mostNamed = 3;

/** Who gets the post: "in Team Blue, to Ada and Bob". A post to the author's followers alone has no such line. */
function ReadersLine({ post: { audience, userId, to } }: { post: Post }): ReactElement | null {
  const named = to.filter((id) => id !== userId);
  if (audience === userId && named.length === 0) return null;
  const more = named.length - mostNamed;
  const Icon = audience === "" ? Lock : isGroup(audience) ? Users : AtSign;
  return (
    <p className="small muted line">
      <Icon size={14} />
      <span>
        {isGroup(audience) && (
          <>
            in <AccountLink id={audience} />
            {named.length > 0 && ", "}
          </>
        )}
        {named.length > 0 && (audience === "" ? "only to " : audience === userId ? "also to " : "to ")}
        {joined(named.slice(0, mostNamed).map((id) => <AccountLink key={id} id={id} />))}
        {more > 0 && ` and ${more} more`}
        {audience === "" && named.length === 0 && "to nobody"}
      </span>
    </p>
  );
}

/** "About #garden, Team Blue", without the #names that are in the text. */
function AboutLine({ post: { refs, text } }: { post: Post }): ReactElement | null {
  const said = tagsOf(text);
  const about = refs.filter((ref) => !said.includes(ref));
  if (about.length === 0) return null;
  return (
    <p className="small muted line">
      <span>
        About{" "}
        {joined(
          about.map((ref) =>
            isTag(ref) ? (
              <a key={ref} href={href({ to: "about", ref })}>
                <Words text={isolatedText(ref)} />
              </a>
            ) : (
              <AccountLink key={ref} id={ref} about />
            ),
          ),
        )}
      </span>
    </p>
  );
}

const joined = (parts: ReactNode[]): ReactNode[] => parts.flatMap((part, i) => (i > 0 ? [", ", part] : [part]));

function AccountLink({ id, about = false }: { id: string; about?: boolean }): ReactElement {
  const account = useFace(id);
  const gone = account && !account.name && isGroup(id);
  return <a href={href(about ? { to: "about", ref: id } : { to: "profile", uid: id })}>{gone ? "a group that is gone" : <Name of={account} />}</a>;
}

/** The photo, in a place of its size: nothing moves when it comes. */
function PostPhoto({ post }: { post: Post<Fields> }): ReactElement | null {
  const [broken, setBroken] = useState(false);
  const photo = photoOf(post.fields);
  if (!photo || broken) return null;
  return (
    <img
      className="photo"
      src={photo.url}
      width={photo.width}
      height={photo.height}
      alt="By the author, without a description"
      loading="lazy"
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  );
}

const bar = (width: string) => <span className="skeleton text-bar" style={{ width }} />;

/** A placeholder of the size of a post with two lines. */
export const postSkeleton = (
  <div className="post">
    <span className="avatar skeleton" />
    <div className="header row">
      {bar("9em")} {bar("5em")}
    </div>
    <div className="post-body">
      {bar("96%")}
      {bar("64%")}
      <div className="post-bar" />
    </div>
  </div>
);
