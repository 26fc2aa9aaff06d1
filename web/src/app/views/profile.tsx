/** Page of a person: picture, name, bio, numbers and posts. On the user's own, a composer, and the form that changes the profile. */
import { Ellipsis, Hash, Settings } from "lucide-react";
import { type Account, errorMessage, type Fields, ownPosts } from "relationindex-client";
import { useAccount, useFollow, useList, useValue } from "relationindex-client/react";
import { type ReactElement, useRef, useState } from "react";
import { Popover } from "../../shared/menu";
import { run } from "../../shared/say";
import { Words } from "../../shared/words";
import { useApp, useMine } from "../context";
import { href } from "../routes";
import { Avatar } from "./avatar";
import { BlockEntry } from "./block";
import { Composer } from "./composer";
import { NumbersLine, OwnNumbers } from "./counts";
import { FollowButton } from "./follow-button";
import { Field, Form, textOf } from "./form";
import { Back, Empty, Failed, ListView, Loading } from "./list";
import { PostRow, postSkeleton } from "./post";
import { PostsTo } from "./posts-to";
import { ShortText } from "./text";
import { shownName } from "./words";

export function ProfilePage({ id }: { id: string }): ReactElement {
  const me = useMine();
  return id === me.id ? <OwnProfile /> : <OthersProfile id={id} />;
}

function OthersProfile({ id }: { id: string }): ReactElement {
  const { config } = useApp();
  const { now: account, error } = useAccount<Fields>(id);
  const name = account === undefined ? "\u00a0" : shownName(account ?? { name: "" });
  return (
    <>
      <section className="profile" aria-label="Profile">
        <Back />
        <div className="row">
          <Avatar account={account ?? { id, name: "", photoURL: "" }} />
          <span className="grow" />
          {account && (
            <Popover face={<Ellipsis size={20} />} label={`More about ${name}`}>
              <a className="entry" href={href({ to: "about", ref: id })}>
                <Hash size={18} />
                <span>Posts about them</span>
              </a>
              <BlockEntry id={id} name={name} />
            </Popover>
          )}
          {account && <FollowButton account={account} />}
        </div>
        <h1 tabIndex={-1}>
          <Words text={name} />
        </h1>
        {account?.closed && <p className="muted small">Private account</p>}
        {account?.bio && <ShortText className="bio" text={account.bio} />}
        {account && config.counts && <NumbersLine id={id} counts={account.counts} />}
      </section>
      {error && account === undefined ? <Failed error={error} /> : account === undefined && <Loading />}
      {account === null && <Empty title="Nobody is here">There is no account at this address, or not any more.</Empty>}
      {account && (account.closed ? <ClosedPosts account={account} /> : <Posts id={id} />)}
    </>
  );
}

const Posts = ({ id }: { id: string }) => (
  <PostsTo id={id} empty={<Empty title="Nothing written yet">Follow them to see their first post in your feed.</Empty>} />
);

/** If the user may not read the posts, there is no query: the server would reject it. */
function ClosedPosts({ account }: { account: Account }): ReactElement {
  const { id } = account;
  const { is, sending } = useFollow(id, account);
  if (is === undefined) return <Loading />;
  if (is === "following" && !sending) return <Posts id={id} />;
  return (
    <Empty title="This account is private">
      <Words text={`Only followers of ${shownName(account)} see these posts. You can ask to be one.`} />
    </Empty>
  );
}

const longestBio = 300;

function OwnProfile(): ReactElement {
  const me = useMine();
  const { session, account } = useApp();
  const refused = useValue(session.refused);
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useList(() => ownPosts(me), [me]);
  // A rejected change is shown as it was typed.
  const before = refused?.now ?? account;
  const typed = refused?.typed ?? account;
  const close = () => {
    setEditing(false);
    session.refused.set(undefined);
    button.current?.focus();
  };
  const save = async (fields: FormData) => {
    const changed = { name: textOf(fields, "name"), bio: textOf(fields, "bio") };
    if (!changed.name) return;
    close();
    if (changed.name !== before.name || changed.bio !== before.bio) run(session.saveProfile(me, changed, before), "Saved.", "Not saved.");
  };
  return (
    <>
      <section className="profile" aria-label="Profile">
        <div className="row">
          <Avatar account={account} />
          <span className="grow" />
          <button ref={button} type="button" className="button small" onClick={() => setEditing(true)}>
            Edit profile
          </button>
          <a className="icon-button narrow" href={href({ to: "settings" })} aria-label="Settings" title="Settings">
            <Settings size={20} />
          </a>
        </div>
        <h1 tabIndex={-1}>
          <Words text={shownName(account)} />
        </h1>
        {account.closed && <p className="muted small">Private account</p>}
        {account.bio && <ShortText className="bio" text={account.bio} />}
        <OwnNumbers />
      </section>
      {(editing || refused) && (
        <Form
          key={String(refused !== undefined)}
          title="Edit profile"
          button="Save"
          className="card stack"
          act={save}
          cancel={close}
          problem={refused ? `Not saved. ${errorMessage(refused.error)}` : ""}
        >
          <Field
            label="Name"
            field={(id) => <input className="input" id={id} name="name" defaultValue={typed.name} maxLength={50} required autoComplete="name" />}
          />
          <Field
            label="About you"
            field={(id) => <textarea className="input" id={id} name="bio" defaultValue={typed.bio} maxLength={longestBio} rows={3} dir="auto" />}
          />
        </Form>
      )}
      <Composer place="profile" />
      <ListView
        list={list}
        label="Posts"
        row={(item) => <PostRow item={item} />}
        skeleton={postSkeleton}
        empty={<Empty title="Nothing written yet">Your first post goes to everyone who follows you.</Empty>}
      />
    </>
  );
}
