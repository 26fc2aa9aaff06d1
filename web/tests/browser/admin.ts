// Firestore as an administrator sees it, who is not bound by the rules: to put documents there that a test begins with,
// and to count what it left. Through the emulator's REST interface: no SDK, so that no cache answers.
import type { Addresses } from "../system.ts";

type Value = string | number | boolean | Date | null;

export class Admin {
  private readonly documents: string;
  private readonly base: string;

  constructor(at: Addresses) {
    this.documents = `projects/${at.project}/databases/(default)/documents`;
    this.base = `http://${at.firestoreHost}/v1`;
  }

  /** write creates or replaces documents, by path, 200 in a request. A Date becomes a timestamp. */
  async write(documents: Record<string, Record<string, Value>>): Promise<void> {
    const writes = Object.entries(documents).map(([path, fields]) => ({ update: { name: `${this.documents}/${path}`, fields: mapOf(fields) } }));
    for (let i = 0; i < writes.length; i += 200) {
      await this.call(`${this.documents}:commit`, { writes: writes.slice(i, i + 200) });
    }
  }

  /** remove deletes a document, whether it is there or not. */
  async remove(path: string): Promise<void> {
    await this.call(`${this.documents}:commit`, { writes: [{ delete: `${this.documents}/${path}` }] });
  }

  /** where counts the documents of a top-level collection in which a field has a value. */
  async where(collection: string, field: string, value: string): Promise<number> {
    const found = (await this.call(`${this.documents}:runQuery`, {
      structuredQuery: {
        from: [{ collectionId: collection }],
        where: { fieldFilter: { field: { fieldPath: field }, op: "EQUAL", value: { stringValue: value } } },
      },
    })) as { document?: unknown }[];
    return found.filter((line) => line.document).length;
  }

  private async call(path: string, body: unknown): Promise<unknown> {
    const answer = await fetch(`${this.base}/${path}`, {
      method: "POST",
      headers: { Authorization: "Bearer owner", "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}

function mapOf(fields: Record<string, Value>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, valueOf(value)]));
}

function valueOf(value: Value): unknown {
  if (value instanceof Date) return { timestampValue: value.toISOString() };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { booleanValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { integerValue: String(value) } : { doubleValue: value };
  return { nullValue: null };
}
