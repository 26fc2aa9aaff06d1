/** What was typed and is not sent yet. It stays on this device when the page or the tab is closed, until it is sent or emptied, or its account signs out. */

/** Who gets a post. */
export interface Readers {
  audience: string;
  /** Of the audience, if it is a group. */
  name: string;
  to: { id: string; name: string }[];
}

export interface Draft {
  text: string;
  /** Of a post. */
  kind?: string;
  readers?: Readers;
}

/** An account has so many on a device; the one that was changed longest ago goes. */
const most = 20;

/** Characters. A longer one stays as it was. Twenty take 2 MB, and a browser gives an address 5 MB. */
const longest = 50_000;

type Stored = Draft & { at: number };

/** Drafts of an account, each by its place: a page, a post's comments, an edit. Tabs share them, and the last one that is typed in counts. */
export class Drafts {
  private prefix: string;

  constructor(private storage: Storage, uid: string, private now: () => number = Date.now) {
    this.prefix = `draft/${uid}/`;
  }

  get(place: string): Draft | undefined {
    return this.read(this.prefix + place);
  }

  /** Keeps a draft; one without text is removed. A storage that is full or forbidden keeps what it has. */
  keep(place: string, draft: Draft): void {
    const key = this.prefix + place;
    if (draft.text === "") return this.storage.removeItem(key);
    const { at, ...before } = this.read(key) ?? { at: 0 };
    if (draft.text.length > longest || JSON.stringify(before) === JSON.stringify(draft)) return;
    if (at === 0) this.makeRoom();
    try {
      this.storage.setItem(key, JSON.stringify({ ...draft, at: this.now() }));
    } catch {
      // the text is still in its field
    }
  }

  forget(): void {
    for (const key of this.keys()) this.storage.removeItem(key);
  }

  private makeRoom(): void {
    const ages = this.keys().map((key) => ({ key, at: this.read(key)?.at ?? 0 })).sort((a, b) => b.at - a.at);
    for (const { key } of ages.slice(most - 1)) this.storage.removeItem(key);
  }

  private keys(): string[] {
    return Array.from({ length: this.storage.length }, (_, i) => this.storage.key(i) ?? "").filter((key) => key.startsWith(this.prefix));
  }

  private read(key: string): Stored | undefined {
    try {
      const data: unknown = JSON.parse(this.storage.getItem(key) ?? "null");
      return isStored(data) ? data : undefined;
    } catch {
      return undefined;
    }
  }
}

type Fields = Record<string, unknown>;

const isMap = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const areTexts = (...values: unknown[]) => values.every((value) => typeof value === "string");

/** Another release may have written it. */
function isStored(data: unknown): data is Stored {
  if (!isMap(data) || !areTexts(data["text"], data["kind"] ?? "") || typeof data["at"] !== "number") return false;
  const readers = data["readers"];
  if (readers === undefined) return true;
  return isMap(readers) && areTexts(readers["audience"], readers["name"]) && Array.isArray(readers["to"]) && readers["to"].every((one: unknown) => isMap(one) && areTexts(one["id"], one["name"]));
}
