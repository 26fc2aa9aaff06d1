// Ids that no document can have, encoded for an address. The SDK or the server would reject each of them with an error.
export const badIds: Record<string, string> = {
  "a slash": "a%2Fb",
  "only a slash": "%2F",
  "a path of a document": "ada%2Ffollowers%2Fbob",
  "malformed percent": "%E0%A4%A",
  "a lone percent": "%",
  "half a character": "%ED%A0%80",
  empty: "",
  dot: ".",
  "two dots": "..",
  "two dots, encoded": "%2e%2E",
  reserved: "__x__",
  "reserved, the shortest": "____",
  "1,600 bytes": "x".repeat(1_600),
  "1,600 bytes in 800 characters": "%C3%A9".repeat(800),
};
