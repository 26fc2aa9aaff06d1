// What Firestore sends to a page: import this before the SDK.

export const counted = {
  /** The documents that Firestore has sent, by collection. */
  documents: {} as Record<string, number>,
  /** Of bodies, in bytes: documents that it has sent again, as they were. They are in no other number. */
  again: 0,
};

// Listeners, gets and queries use the SDK's channel Listen: read a copy of it.
const { fetch } = window;
window.fetch = async (input, init) => {
  const answer = await fetch(input, init);
  if (new URL(input instanceof Request ? input.url : input, location.href).pathname.includes("/Listen/")) void read(answer.clone());
  return answer;
};

/** A message of Listen, as far as it matters here. */
interface Message {
  documentChange?: { document: { name: string; updateTime: string }; targetIds?: number[] };
  documentDelete?: { document: string };
}

/** Reads the messages of an answer. They come as lines of a length and so many characters of JSON: [[number, [message]], …]. */
async function read(answer: Response): Promise<void> {
  const text = new TextDecoder();
  let rest = "";
  for (const chunks = answer.body!.getReader(); ; ) {
    const { done, value } = await chunks.read().catch(() => ({ done: true, value: undefined }));
    if (done) return;
    rest += text.decode(value, { stream: true });
    for (let head; (head = /^\s*(\d+)\n/.exec(rest)); ) {
      const end = head[0].length + Number(head[1]);
      if (rest.length < end) break;
      const parts = JSON.parse(rest.slice(head[0].length, end)) as (number | [number, Message[]])[]; // numbers alone: the server has got a request
      const messages = parts.flatMap((part) => (typeof part === "number" ? [] : part[1]));
      const sizes = messages.map((message) => JSON.stringify(message).length);
      const scale = Number(head[1]) / sizes.reduce((sum, size) => sum + size, 0); // it is sent with spaces
      messages.forEach((message, n) => count(message, sizes[n]! * scale));
      rest = rest.slice(end);
    }
  }
}

const known = new Set<string>();

/**
 * Each document that changes a target's result is billed, and a name without a document too. With each change of a query that
 * has a limit, the emulator (1.19.9) begins the result anew, and sends all of it. Firestore bills what has changed.
 */
function count({ documentChange, documentDelete }: Message, bytes: number): void {
  const name = documentChange?.document.name ?? documentDelete?.document;
  if (!name) return;
  if (documentChange) {
    const sent = [documentChange.targetIds, name, documentChange.document.updateTime].join(" ");
    if (known.has(sent)) return void (counted.again += bytes);
    known.add(sent);
  }
  const collection = name.split("/documents/")[1]!.split("/")[0]!;
  counted.documents[collection] = (counted.documents[collection] ?? 0) + 1;
}
