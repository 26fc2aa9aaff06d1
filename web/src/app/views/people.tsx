/** Page of people: everyone, and the user's own lists: followed accounts, followers, follow requests and blocked accounts. */
import { Search } from "lucide-react";
import { type AccountItem, accountsByName, blocked, followers, following, followRequests, type Me, type Source } from "relationindex-client";
import { useList } from "relationindex-client/react";
import { type ReactElement, useState } from "react";
import { useMine } from "../context";
import { href, type Tab, tabs } from "../routes";
import { Empty, ListView, Title } from "./list";
import { useTyped } from "./people-picker";
import { PersonRow, personSkeleton } from "./person";
import { Tabs } from "./tabs";

const empty: Record<Tab, [title: string, text: string]> = {
  everyone: ["Nobody here by that name", "Try the beginning of a name."],
  following: ["You follow nobody yet", "People you follow show here, and their posts in your feed."],
  followers: ["Nobody follows you yet", "Write something: that is why people follow somebody."],
  requests: ["Nobody asks to follow you", "If your account is private, people ask to follow you, and you answer here."],
  blocked: ["You have blocked nobody", "You can block people on their profiles, and in the list of your followers."],
};

const lists: Record<Tab, (me: Me, name: string) => Source<AccountItem>> = {
  everyone: accountsByName,
  following: (me) => following(me),
  followers: (me) => followers(me),
  requests: (me) => followRequests(me),
  blocked: (me) => blocked(me),
};

export function PeoplePage({ tab }: { tab: Tab }): ReactElement {
  const me = useMine();
  const [text, setText] = useState("");
  const typed = useTyped(text).trim();
  const list = useList(() => lists[tab](me, typed), [me, tab, typed]);
  const [title, say] = empty[tab];
  return (
    <>
      <Title>People</Title>
      <Tabs label="Lists of people" all={tabs} here={tab} to={(to) => href({ to: "people", tab: to })} />
      {tab === "everyone" && (
        <label className="search row">
          <Search size={18} />
          <input
            type="search"
            placeholder="Search by name"
            aria-label="Search by name"
            autoComplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      )}
      <ListView
        list={list}
        label={tabs[tab]}
        row={(item) => <PersonRow item={item} tab={tab} />}
        skeleton={personSkeleton}
        empty={<Empty title={title}>{say}</Empty>}
      />
    </>
  );
}
