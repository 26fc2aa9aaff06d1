/** Numbers of followed accounts, followers and posts. */
import { isGroup, type Numbers } from "relationindex-client";
import { useCounts } from "relationindex-client/react";
import type { ReactElement } from "react";
import { href } from "../routes";
import { counted } from "./words";

const Figure = ({ text }: { text: string }) => {
  const [number, ...word] = text.split(" ");
  return (
    <>
      <strong>{number}</strong> {word.join(" ")}
    </>
  );
};

/** The user's numbers, each linked to its list. The number of posts is there if the functions keep it. */
export function OwnNumbers(): ReactElement {
  const counts = useCounts();
  const shown = (count: number | undefined, one: string) => (counts ? counted(count ?? 0, one) : `– ${one}s`);
  return (
    <p className="counts">
      <a href={href({ to: "people", tab: "following" })}>
        <Figure text={counts ? `${counts.following.toLocaleString()} following` : "– following"} />
      </a>
      <a href={href({ to: "people", tab: "followers" })}>
        <Figure text={shown(counts?.followers, "follower")} />
      </a>
      {counts?.posts !== undefined && (
        <span className="muted">
          <Figure text={counted(counts.posts, "post")} />
        </span>
      )}
    </p>
  );
}

/** The numbers of another account, or of a group. */
export const NumbersLine = ({ id, counts }: { id: string; counts: Numbers }): ReactElement => (
  <p className="counts muted">
    {!isGroup(id) && (
      <span>
        <Figure text={`${counts.following.toLocaleString()} following`} />
      </span>
    )}
    <span>
      <Figure text={counted(counts.followers, isGroup(id) ? "member" : "follower")} />
    </span>
    <span>
      <Figure text={counted(counts.posts, "post")} />
    </span>
  </p>
);
