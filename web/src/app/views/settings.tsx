/** Page of settings: who sees the posts, what the user hides, the theme, and Sign out. */
import { changeProfile, errorMessage, type Filters, getPosts, isolatedText, parsePattern, type Reader, wildcard } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import { type ReactElement, type ReactNode, useContext, useEffect, useId, useRef, useState } from "react";
import { ThemeChoice } from "../../shared/look";
import { announce, confirm, run } from "../../shared/say";
import { plain, Words } from "../../shared/words";
import { ReaderContext, useApp, useFace, useMine, useShown } from "../context";
import { Title, useKeptFocus } from "./list";
import { shownName } from "./words";

export function SettingsPage(): ReactElement {
  const { config } = useApp();
  const reader = useContext(ReaderContext);
  return (
    <>
      <Title back>Settings</Title>
      <Section title="Who sees your posts">
        <PrivateSwitch />
      </Section>
      {reader && <Hidden reader={reader} />}
      <Section title="Look">
        <div className="row">
          <span className="grow">Theme</span>
          <ThemeChoice />
        </div>
      </Section>
      <Section title="This device">
        <SignOut />
        {config.dev && (
          <p>
            <a href="/console/">Console</a> <span className="muted small">what the functions do, live, on this machine</span>
          </p>
        )}
      </Section>
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }): ReactElement {
  const id = useId();
  return (
    <section className="setting stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function PrivateSwitch(): ReactElement {
  const me = useMine();
  const { account } = useApp();
  const [sending, setSending] = useState<boolean>(); // while a change is being sent, an older snapshot may still arrive
  const change = async (next: boolean) => {
    if (!next && !(await confirm("Open your account? Everyone sees your posts then, also those of before.", "Open account"))) return;
    setSending(next);
    run(
      changeProfile(me, { closed: next }).finally(() => setSending(undefined)),
      next ? "Private: new followers have to ask, and only followers see your posts." : "Open: everyone sees your posts.",
      "Not changed.",
    );
  };
  const closed = sending ?? account.closed;
  return (
    <div>
      <label className="switch">
        <input
          type="checkbox"
          checked={closed}
          onClick={(event) => {
            event.preventDefault(); // the answer decides
            void change(!closed);
          }}
        />
        Private account
      </label>
      <p className="small muted">New followers have to ask, and only followers see your posts.</p>
    </div>
  );
}

/** Signs out. If a write has not been sent yet, asks first. */
function SignOut(): ReactElement {
  const { session } = useApp();
  const leave = async () => {
    if ((await session.hasUnsent()) && !(await confirm("What has not been sent yet would be lost. Sign out all the same?", "Sign out"))) return;
    await session.signOut();
    history.replaceState(null, "", location.pathname); // the next account begins at its feed
    location.reload();
  };
  return (
    <button type="button" className="button" onClick={() => run(leave(), "")}>
      Sign out
    </button>
  );
}

/** The user's filters and hidden posts. A button removes a filter, or shows a hidden post again. */
function Hidden({ reader }: { reader: Reader }): ReactElement {
  const settings = useValue(reader.settings);
  const box = useRef<HTMLDivElement>(null);
  useKeptFocus(box);
  const patterns = (["hide", "show"] as const).flatMap((list) => settings[list].filter(parsePattern).map((pattern) => ({ list, pattern })));
  return (
    <Section title="What you hide">
      <div ref={box} className="stack">
        <ul className="stack" aria-label="Filters">
          {patterns.map(({ list, pattern }) => (
            <PatternRow key={`${list} ${pattern}`} reader={reader} list={list} pattern={pattern} />
          ))}
        </ul>
        {patterns.length === 0 && <p className="small muted">No filters yet. The menu of a post in your feed has the first.</p>}
        <HiddenPosts reader={reader} />
      </div>
    </Section>
  );
}

function PatternRow({ reader, list, pattern }: { reader: Reader; list: keyof Filters; pattern: string }): ReactElement {
  const { author, kind } = parsePattern(pattern)!;
  return author === wildcard ? (
    <Pattern reader={reader} list={list} pattern={pattern} kind={kind} by="" />
  ) : (
    <AuthorPattern reader={reader} list={list} pattern={pattern} kind={kind} author={author} />
  );
}

interface PatternProps {
  reader: Reader;
  list: keyof Filters;
  pattern: string;
  kind: string;
  by: string;
}

const AuthorPattern = ({ author, ...rest }: Omit<PatternProps, "by"> & { author: string }) => <Pattern {...rest} by={` by ${shownName(useFace(author))}`} />;

function Pattern({ reader, list, pattern, kind, by }: PatternProps): ReactElement {
  const label = list === "hide" ? "Show again" : "Remove";
  const text = `${list === "hide" ? "Hidden" : "Always shown"}: ${kind === wildcard ? "everything" : `every ${isolatedText(kind)}`}${by}`;
  return (
    <li className="row item">
      <span className="grow">
        <Words text={text} />
      </span>
      <button type="button" className="button small" aria-label={plain(`${label}: ${text}`)} onClick={() => run(reader.takeBack(pattern), "", "Not changed.")}>
        {label}
      </button>
    </li>
  );
}

/** The posts that were hidden when the page was last opened. */
function HiddenPosts({ reader }: { reader: Reader }): ReactElement | null {
  const me = useMine();
  const shown = useShown();
  const [posts, setPosts] = useState<{ id: string; text: string }[]>([]);
  useEffect(() => {
    if (!shown) return;
    const asking = new AbortController();
    const show = async () => setPosts([...(await getPosts(me, await reader.hiddenPosts(asking.signal), asking.signal)).values()]);
    show().catch((error: unknown) => asking.signal.aborted || announce(errorMessage(error), true));
    return () => asking.abort();
  }, [me, reader, shown]);
  if (posts.length === 0) return null;
  return (
    <>
      <h3>Hidden posts</h3>
      <ul className="stack" aria-label="Hidden posts">
        {posts.map(({ id, text }) => {
          const start = text.slice(0, 60) || "A repost";
          const show = () => {
            run(reader.showPost(id), "Back in your feed.", "Not changed.");
            setPosts((before) => before.filter((post) => post.id !== id));
          };
          return (
            <li key={id} className="row item">
              <span className="grow small clip" dir="auto">
                {start}
              </span>
              <button type="button" className="button small" aria-label={`Show again: ${start}`} onClick={show}>
                Show again
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
