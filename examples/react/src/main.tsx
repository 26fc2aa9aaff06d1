import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { signOutAndForget } from "relationindex-client";
import { RelationIndex, useUser } from "relationindex-client/react";

import { client } from "./client";
import { Feed } from "./Feed";
import { Notifications } from "./Notifications";
import { People } from "./People";
import { SignIn } from "./SignIn";

function App() {
  const user = useUser();
  if (user === undefined) return null;
  return (
    <main>
      <h1>Feed</h1>
      {user ? (
        <>
          <button onClick={() => void signOutAndForget(client).then(() => location.reload())}>Sign out</button>
          <Feed />
          <People />
          <Notifications />
        </>
      ) : (
        <SignIn />
      )}
    </main>
  );
}

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <RelationIndex client={client}>
      <App />
    </RelationIndex>
  </StrictMode>,
);
