/** Where the feed can come from. Which of these there are depends on the project; which one is read, on the reader. */
import type { Config } from "../../shared/config";

export type SourceName = "relations" | "timeline" | "pull";

export const sources: Record<SourceName, { name: string; title: string }> = {
  relations: { name: "Relations", title: "Firestore's query for the relations that name me." },
  timeline: { name: "Timeline", title: "My own documents, in which I can hide and filter." },
  pull: { name: "Pull", title: "The function Feed, which asks everyone that I follow for their posts." },
};

/** Those that the project has, the first the one to begin with. */
export function offered(config: Config): SourceName[] {
  const all: [SourceName, boolean][] = [["relations", !config.timelines?.relationsOff], ["timeline", config.timelines !== undefined], ["pull", config.feedURL !== undefined]];
  return all.filter(([, there]) => there).map(([name]) => name);
}

const key = "source";

/** The source that was chosen on this device last, if the project has it. */
export function chosen(config: Config): SourceName {
  const all = offered(config);
  return all.find((name) => name === localStorage.getItem(key)) ?? all[0] ?? "relations";
}

export const choose = (name: SourceName): void => localStorage.setItem(key, name);
