import { everyone, usersBy } from "relationindex-client";
import { useFollow, useList, useName } from "relationindex-client/react";

import { Problem, useAttempt } from "./attempt";
import { client, names } from "./client";
import { List } from "./List";

/** followed: the functions bring older posts, or take posts away, a moment later. */
export function People({ me, followed }: { me: string; followed(): void }) {
  const people = useList(() => usersBy(everyone(client.db), "nameLower", names), []);
  return (
    <>
      <h2>People</h2>
      <List label="People" list={people} row={({ id }) => <FollowButton me={me} id={id} followed={followed} />} />
    </>
  );
}

function FollowButton({ me, id, followed }: { me: string; id: string; followed(): void }) {
  const name = useName(names, id);
  const { following, known, toggle } = useFollow(client.db, me, id);
  const { problem, attempt } = useAttempt();
  return (
    <>
      <button disabled={!known || id === me} onClick={() => attempt(() => toggle().then(followed))}>{following ? "Unfollow" : "Follow"} {name}</button>
      <Problem error={problem} />
    </>
  );
}
