import { isolatedText } from "relationindex-client";
import { useAccountsByName, useFollow, useMe } from "relationindex-client/react";

import { Problem, useAttempt } from "./attempt";
import { List } from "./List";

export function People() {
  const people = useAccountsByName();
  return (
    <>
      <h2>People</h2>
      <List label="People" list={people} row={({ id, account }) => <FollowButton id={id} name={isolatedText(account.name)} />} />
    </>
  );
}

const words = { none: "Follow", requested: "Requested:", following: "Unfollow" };

function FollowButton({ id, name }: { id: string; name: string }) {
  const me = useMe();
  const { is, toggle } = useFollow(id);
  const { problem, attempt } = useAttempt();
  return (
    <>
      <button disabled={!is || id === me.id} onClick={() => attempt(toggle)}>
        {is ? words[is] : "…"} {name}
      </button>
      <Problem error={problem} />
    </>
  );
}
