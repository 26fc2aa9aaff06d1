/** Page of groups: the groups that the user has joined, the groups that the user owns, and a form for a new group. */
import { Plus } from "lucide-react";
import { type AccountItem, createGroup, isolatedText, joinedGroups, ownedGroups, type Source } from "relationindex-client";
import { useList } from "relationindex-client/react";
import { type ReactElement, useRef, useState } from "react";
import { announce } from "../../shared/say";
import { useMine } from "../context";
import { type GroupTab, groupTabs, href } from "../routes";
import { GroupForm } from "./group-form";
import { Empty, ListView, Title } from "./list";
import { PersonRow, personSkeleton } from "./person";
import { Tabs } from "./tabs";

const empty: Record<GroupTab, [title: string, text: string]> = {
  joined: ["You are in no group yet", "Search for groups by name under People, or make one."],
  owned: ["You own no group yet", "Make one for a team, a topic or a site."],
};

export function GroupsPage({ tab }: { tab: GroupTab }): ReactElement {
  const me = useMine();
  const [making, setMaking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useList((): Source<AccountItem> => (tab === "owned" ? ownedGroups(me) : joinedGroups(me)), [me, tab]);
  const [title, text] = empty[tab];
  const cancel = () => {
    setMaking(false);
    button.current?.focus();
  };
  return (
    <>
      <Title
        beside={
          <button ref={button} type="button" className="button small" onClick={() => setMaking(true)}>
            <Plus size={16} /> New group
          </button>
        }
      >
        Groups
      </Title>
      {making && (
        <GroupForm
          title="New group"
          button="Create group"
          now={{ name: "", closed: false, post: "members" }}
          save={async (fields, isHere) => {
            const uid = await createGroup(me, fields);
            setMaking(false);
            if (isHere()) location.hash = href({ to: "profile", uid });
            else announce(`${isolatedText(fields.name)} is created.`); // the user went on meanwhile
          }}
          cancel={cancel}
        />
      )}
      <Tabs label="Lists of groups" all={groupTabs} here={tab} to={(to) => href({ to: "groups", tab: to })} />
      <ListView
        list={list}
        label={`${groupTabs[tab]} groups`}
        row={(item) => <PersonRow item={item} tab="following" />}
        skeleton={personSkeleton}
        empty={<Empty title={title}>{text}</Empty>}
      />
    </>
  );
}
