/** All panels. In a wide window, Timeline and Post share a place. */
import { type ReactElement, useState } from "react";
import { useWatched } from "../data/live";
import { useSelected } from "../data/selection";
import { indexWindow } from "../data/window";
import { ActionsPanel } from "./actions";
import { AuthorPanel } from "./author";
import { useDb } from "./context";
import { JobsPanel } from "./jobs";
import type { Other } from "./panel";
import { PostPanel } from "./post";
import { TimelinePanel } from "./timeline";

export function Panels(): ReactElement {
  const db = useDb(),
    { author } = useSelected();
  const index = useWatched(() => author !== "" && indexWindow(db, author), [db, author]);
  const [front, setFront] = useState("Timeline");
  const other = (title: string): Other | undefined => (db.timelines ? { title, shown: front === title, show: () => setFront(title) } : undefined);
  return (
    <main className="panels">
      <AuthorPanel index={index} />
      <ActionsPanel />
      {db.timelines && <TimelinePanel other={other("Post")} />}
      <PostPanel index={index.value?.newest ?? []} other={other("Timeline")} />
      <JobsPanel />
    </main>
  );
}
