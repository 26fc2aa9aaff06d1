/** Page of a group: its description and its posts. The owner also sees the lists of people, and changes the group. */
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import {
  type Account,
  type AccountItem,
  blocked,
  changeGroup,
  deleteGroup,
  type Fields,
  followers,
  followRequests,
  isolatedText,
  mayPost,
  type Me,
  type Source,
  visibleText,
} from "relationindex-client";
import { useAccount, useFollow, useList } from "relationindex-client/react";
import { type ReactElement, useRef, useState } from "react";
import { Entry, Popover } from "../../shared/menu";
import { announce, confirm, run } from "../../shared/say";
import { Words } from "../../shared/words";
import { useApp, useMine } from "../context";
import { href, type Part, parts } from "../routes";
import { Avatar } from "./avatar";
import { Composer } from "./composer";
import { NumbersLine } from "./counts";
import { FollowButton } from "./follow-button";
import { describeGroup, GroupForm } from "./group-form";
import { Back, Empty, Failed, ListView, Loading } from "./list";
import { PersonRow, personSkeleton } from "./person";
import { PostsTo } from "./posts-to";
import { Tabs } from "./tabs";
import { shownName } from "./words";

export function GroupPage({ id, part }: { id: string; part: Part }): ReactElement {
  const me = useMine();
  const { config } = useApp();
  const { now: group, error } = useAccount<Fields>(id);
  const [editing, setEditing] = useState(false);
  const head = useRef<HTMLElement>(null);
  const owner = group?.ownerId === me.id;
  const close = () => {
    setEditing(false);
    head.current?.querySelector<HTMLElement>(".popover-box button")?.focus();
  };
  const save = async (fields: Parameters<typeof changeGroup>[2]) => {
    await changeGroup(me, id, fields);
    close();
    announce("Saved.");
  };
  return (
    <>
      <section ref={head} className="profile" aria-label="Group">
        <Back />
        <div className="row">
          <Avatar account={group ?? { id, name: "", photoURL: "" }} />
          <span className="grow" />
          {group && owner && <OwnerMenu group={group} edit={() => setEditing(true)} />}
          {group && <FollowButton account={group} />}
        </div>
        <h1 tabIndex={-1}>{group === null ? "A group that is gone" : <Words text={shownName(group)} />}</h1>
        {group && <p className="muted">{describeGroup(group)}</p>}
        {group && config.counts && <NumbersLine id={id} counts={group.counts} />}
      </section>
      {error && group === undefined ? <Failed error={error} /> : group === undefined && <Loading />}
      {editing && group && <GroupForm title="Edit the group" button="Save" now={group} save={save} cancel={close} />}
      {owner && <Tabs label="Of this group" all={parts} here={part} to={(to) => href({ to: "profile", uid: id, part: to })} />}
      {group === null && <Empty title="This group is gone">Its posts stay with those who wrote them.</Empty>}
      {group && (owner && part !== "posts" ? <PeopleOf key={part} id={id} part={part} /> : <PostsOf group={group} owner={owner} />)}
    </>
  );
}

/** The composer and the posts, if the user may use them. */
function PostsOf({ group, owner }: { group: Account; owner: boolean }): ReactElement | null {
  const me = useMine();
  const { is, sending } = useFollow(group.id, group);
  const member = is === "following" && !sending;
  if (group.closed && !owner && is === undefined) return <Loading />;
  if (group.closed && !owner && !member) return <Empty title="This group is closed">Only members see its posts. You can ask to be one.</Empty>;
  return (
    <>
      {mayPost(me, group, member) && <Composer place={`group/${group.id}`} audience={group} placeholder={`Write in ${visibleText(group.name)}`} />}
      <PostsTo id={group.id} empty={<Empty title="Nothing written yet">What is posted in this group shows here, and in the feeds of its members.</Empty>} />
    </>
  );
}

const people: Record<
  Exclude<Part, "posts">,
  [list: (me: Me, group: string) => Source<AccountItem>, tab: "followers" | "requests" | "blocked", title: string, text: string]
> = {
  members: [followers, "followers", "Nobody is in it yet", "New members show here."],
  requests: [followRequests, "requests", "Nobody asks to join", "Requests to join a closed group show here."],
  blocked: [blocked, "blocked", "Nobody is blocked", "You can block people in the list of members."],
};

/** A list of people, for the owner: the rules let nobody else read it. */
function PeopleOf({ id, part }: { id: string; part: Exclude<Part, "posts"> }): ReactElement {
  const me = useMine();
  const [source, tab, title, text] = people[part];
  const list = useList(() => source(me, id), [me, source, id]);
  return (
    <ListView
      list={list}
      label={parts[part]}
      row={(item) => <PersonRow item={item} tab={tab} group={id} />}
      skeleton={personSkeleton}
      empty={<Empty title={title}>{text}</Empty>}
    />
  );
}

function OwnerMenu({ group, edit }: { group: Account; edit: () => void }): ReactElement {
  const me = useMine();
  const at = href({ to: "profile", uid: group.id });
  const remove = async () => {
    if (!(await confirm("Delete the group? Its posts leave every feed.", "Delete group"))) return;
    const left = deleteGroup(me, group.id).then(() => {
      if (location.hash.startsWith(at)) location.hash = href({ to: "groups", tab: "owned" }); // else the user went on meanwhile
    });
    run(left, `${isolatedText(group.name)} is deleted.`, "Not deleted.");
  };
  return (
    <Popover face={<Ellipsis size={20} />} label="More about this group">
      <Entry icon={<Pencil size={18} />} act={edit}>
        Edit
      </Entry>
      <Entry icon={<Trash2 size={18} />} bad act={() => void remove()}>
        Delete
      </Entry>
    </Popover>
  );
}
