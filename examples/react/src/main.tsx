import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { forget } from "relationindex-client";

import { client } from "./client";
import { Feed } from "./Feed";
import { Notifications } from "./Notifications";
import { SignIn } from "./SignIn";

function App() {
  const [me, setMe] = useState(client.auth.currentUser?.uid);
  const signOut = () => {
    setMe(undefined); // listeners end before that
    void forget(client).then(() => location.reload());
  };
  return (
    <main>
      <h1>Feed</h1>
      {me ? (
        <>
          <button onClick={signOut}>Sign out</button>
          <Feed me={me} />
          <Notifications me={me} />
        </>
      ) : (
        <SignIn done={setMe} />
      )}
    </main>
  );
}

createRoot(document.getElementById("root")!).render(<StrictMode><App /></StrictMode>);
