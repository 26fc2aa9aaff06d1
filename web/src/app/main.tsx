/** Entry point of the app. It shows the view that belongs to the state of the session. */
import { type Account, connect, errorMessage, type Fields } from "relationindex-client";
import { RelationIndex, useAccount, useBadge, useReader, useUser, useValue } from "relationindex-client/react";
import { type ReactElement, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import "../shared/font.css";
import "../shared/base.css";
import "./app.css";
import { type Config, loadConfig } from "../shared/config";
import { applyTheme } from "../shared/look";
import { Announcements, Questions } from "../shared/say";
import { type App, AppContext, BadgeContext, ReaderContext, useMine, useOffline } from "./context";
import { Drafts } from "./data/drafts";
import { Session } from "./data/session";
import { Shell } from "./shell";
import { allowBucket } from "./views/pictures";
import { NamePage, SignInPage } from "./views/sign-in";

applyTheme();
const root = createRoot(document.getElementById("app")!);

async function start(): Promise<void> {
  const config = await loadConfig();
  const client = connect<Fields, Fields>(config);
  const session = new Session(client);
  allowBucket(config.firebase.storageBucket);
  root.render(
    <RelationIndex client={client}>
      <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <Entrance config={config} session={session} />
      <Offline />
      <Announcements />
      <Questions />
    </RelationIndex>,
  );
}

function Entrance({ config, session }: { config: Config; session: Session }): ReactElement {
  const user = useUser();
  const signingUp = useValue(session.signingUp);
  const nameless = useValue(session.nameless);
  const leaving = useValue(session.leaving);
  // Another tab has signed the account out, and has removed what the SDK of this one works with.
  const had = useRef(false);
  had.current ||= Boolean(user);
  const wasLeft = had.current && user === null && !leaving && !signingUp;
  useEffect(() => {
    if (wasLeft) location.reload();
  }, [wasLeft]);
  if (leaving || wasLeft || (user === undefined && !signingUp)) return <Starting />;
  if (!user || signingUp) return <SignInPage config={config} session={session} />;
  if (nameless === user.uid) return <NamePage session={session} />;
  return <Signed key={user.uid} config={config} session={session} />;
}

/** As index.html has it before the first script. */
const Starting = () => (
  <main id="main" className="starting" tabIndex={-1} aria-busy="true" aria-label="Loading">
    <img src="/icon.svg" alt="" width={44} height={44} />
  </main>
);

function Signed({ config, session }: { config: Config; session: Session }): ReactElement {
  const me = useMine();
  const { now: account, error } = useAccount<Fields>(me.id);
  useEffect(() => {
    if (account?.name) session.beFound(me, account);
    else if (account !== undefined) session.nameless.set(me.id);
  }, [session, me, account]);
  if (error && !account) return <Failure error={error} />;
  if (!account?.name) return <Starting />;
  return <Home config={config} session={session} account={account} />;
}

function Home({ config, session, account }: { config: Config; session: Session; account: Account }): ReactElement {
  const me = useMine();
  const [moderator, setModerator] = useState<boolean>();
  useEffect(() => void session.isModerator().then(setModerator), [session]);
  const kept = useMemo(() => ({ drafts: new Drafts(localStorage, me.id), reposted: new Set<string>(), excerpts: new Map<string, string>() }), [me.id]);
  const app: App = useMemo(() => ({ config, session, account, moderator, ...kept }), [config, session, account, moderator, kept]);
  const WithReader = config.timelines?.settings ? OpenReader : Plain;
  const WithBadge = config.notifications ? OpenBadge : Plain;
  return (
    <AppContext.Provider value={app}>
      <WithReader>
        <WithBadge>
          <Shell />
        </WithBadge>
      </WithReader>
    </AppContext.Provider>
  );
}

const Plain = ({ children }: { children: ReactNode }) => <>{children}</>;
const OpenReader = ({ children }: { children: ReactNode }) => <ReaderContext.Provider value={useReader()}>{children}</ReaderContext.Provider>;
const OpenBadge = ({ children }: { children: ReactNode }) => <BadgeContext.Provider value={useBadge()}>{children}</BadgeContext.Provider>;

/** The line that says "offline". It stays in the page, so that a screen reader reads each new text. */
function Offline(): ReactElement {
  const offline = useOffline();
  return (
    <div className="offline" role="status">
      {offline && <span>Offline. What you write is sent later.</span>}
    </div>
  );
}

const Failure = ({ error }: { error: unknown }) => (
  <main id="main" className="alone" tabIndex={-1}>
    <div className="notice bad" role="alert">
      <h1>This did not start</h1>
      <p>{errorMessage(error)}</p>
      <button type="button" className="button" onClick={() => location.reload()}>
        Try again
      </button>
    </div>
  </main>
);

start().catch((error: unknown) => root.render(<Failure error={error} />));
