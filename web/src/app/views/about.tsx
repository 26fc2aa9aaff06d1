/** Page of posts about a #name or an account, by any author. It shows the posts that the reader may read. */
import { feed, type Fields, isGroup, isolatedText, isTag } from "relationindex-client";
import { useList } from "relationindex-client/react";
import { type ReactElement, useRef } from "react";
import { plain, Words } from "../../shared/words";
import { useApp, useFace, useMine, useShown } from "../context";
import { href } from "../routes";
import { Composer } from "./composer";
import { newPosts } from "./feed";
import { Empty, ListView, Title } from "./list";
import { PostRow, postSkeleton } from "./post";

export function AboutPage({ about }: { about: string }): ReactElement {
  const { feedURL } = useApp().config;
  return (
    <>
      {isTag(about) ? <Title back>{<Words text={isolatedText(about)} />}</Title> : <AccountTitle id={about} />}
      {feedURL === undefined ? <Empty title="Not available here">Posts about one thing cannot be searched on this site.</Empty> : <Posts about={about} />}
    </>
  );
}

function AccountTitle({ id }: { id: string }): ReactElement {
  const account = useFace(id);
  const profile = (
    <a className="button small" href={href({ to: "profile", uid: id })}>
      Profile
    </a>
  );
  return (
    <Title back beside={profile}>
      {account ? <Words text={account.name ? `About ${isolatedText(account.name)}` : isolatedText(id)} /> : "\u00a0"}
    </Title>
  );
}

function Posts({ about }: { about: string }): ReactElement {
  const me = useMine();
  const shown = useRef(true);
  shown.current = useShown();
  const list = useList(() => feed<Fields>(me, { ref: about, isShown: () => shown.current }), [me, about]);
  const what = isTag(about) ? isolatedText(about) : isGroup(about) ? "this group" : "this person";
  return (
    <>
      <Composer place={`about/${about}`} refs={[about]} placeholder={plain(`Write about ${what}`)} />
      <ListView
        list={list}
        label="Posts about it"
        row={(entry) => <PostRow item={entry} />}
        skeleton={postSkeleton}
        waiting={newPosts}
        empty={
          <Empty title={<Words text={`No posts about ${what} yet`} />}>
            <Words text={isTag(about) ? `Posts with ${what} in them show here.` : `A post that you write on this page is about ${what}, and shows here.`} />
          </Empty>
        }
      />
    </>
  );
}
