/** Row that shows an account in a list of people, with the buttons that the list offers. */
import { Ban, Ellipsis, UserMinus } from "lucide-react";
import { acceptRequest, type Account, type AccountItem, declineRequest, isGroup, removeFollower } from "relationindex-client";
import { type ReactElement, useRef } from "react";
import { Entry, Popover } from "../../shared/menu";
import { confirm, run } from "../../shared/say";
import { plain } from "../../shared/words";
import { useFace, useMine } from "../context";
import { href, type Tab } from "../routes";
import { Avatar } from "./avatar";
import { askToBlock, endBlock } from "./block";
import { FollowButton } from "./follow-button";
import { Name } from "./name";
import { shownName } from "./words";

interface Props {
  /** Some lists have the account whole. */
  item: AccountItem & { account?: Account };
  tab: Tab;
  /** The group that the list belongs to; without it, the user. */
  group?: string;
}

export function PersonRow({ item: { id, account: listed }, tab, group }: Props): ReactElement {
  const me = useMine();
  return listed ? <Row account={listed} id={id} tab={tab} owner={group ?? me.id} /> : <AskedRow id={id} tab={tab} owner={group ?? me.id} />;
}

interface RowProps {
  id: string;
  account?: Account | null | undefined;
  tab: Tab;
  owner: string;
}

const AskedRow = (props: RowProps) => <Row {...props} account={useFace(props.id)} />;

function Row({ id, account, tab, owner }: RowProps): ReactElement {
  return (
    <div className="person row">
      <Avatar account={account ?? { id, name: "", photoURL: "" }} />
      <div className="grow">
        <a className="name" href={href({ to: "profile", uid: id })}>
          <Name of={account} />
        </a>
        {isGroup(id) && <span className="muted small"> Group</span>}
        {account?.bio && tab !== "requests" && (
          <p className="small muted clip" dir="auto">
            {account.bio.slice(0, 200)}
          </p>
        )}
      </div>
      {account !== undefined && <Actions id={id} account={account} tab={tab} owner={owner} />}
    </div>
  );
}

function Actions({ id, account, tab, owner }: RowProps): ReactElement {
  const me = useMine();
  const name = shownName(account);
  const whom = { id, group: owner };
  const busy = useRef(false); // a second press would find no request
  const decide = (act: () => Promise<void>, done: string) => {
    if (busy.current) return;
    busy.current = true;
    run(
      act().finally(() => (busy.current = false)),
      done,
    );
  };
  const act = (label: string, look: string, press: () => void) => (
    <button type="button" className={`button small ${look}`} aria-label={plain(`${label} ${name}`)} onClick={press}>
      {label}
    </button>
  );
  if (tab === "requests")
    return (
      <>
        {act("Decline", "quiet", () => decide(() => declineRequest(me, whom), `Declined. ${name} may ask again.`))}
        {act("Accept", "primary", () => decide(() => acceptRequest(me, whom), isGroup(owner) ? `${name} is a member now.` : `${name} follows you now.`))}
      </>
    );
  if (tab === "blocked") return act("Unblock", "", () => endBlock(me, id, name, owner));
  const [from, gone] = isGroup(owner) ? ["the group", "is no longer a member"] : ["your followers", "no longer follows you"];
  const remove = async () => {
    if (await confirm(`Remove ${name} from ${from}?`, "Remove")) run(removeFollower(me, whom), `${name} ${gone}.`);
  };
  return (
    <>
      {id === me.id ? <span className="muted small">You</span> : account && <FollowButton account={account} />}
      {tab === "followers" && (
        <Popover face={<Ellipsis size={20} />} label={`More about ${name}`}>
          <Entry icon={<UserMinus size={18} />} act={() => void remove()}>
            Remove
          </Entry>
          <Entry icon={<Ban size={18} />} bad act={() => void askToBlock(me, id, name, owner)}>
            Block
          </Entry>
        </Popover>
      )}
    </>
  );
}

export const personSkeleton = (
  <div className="person row">
    <span className="avatar skeleton" />
    <span className="grow">
      <span className="skeleton text-bar" style={{ width: "9em" }} />
    </span>
    <span className="skeleton follow" />
  </div>
);
