const kinds = "agent|intent|solver|attestor|merchant|service|facilitator|receipt|dispute|attestation";

/** Quoted texts of the chain, records, and hashes and addresses, in this order: a quoted text mentions nothing. */
const PARTS = new RegExp(
  `("(?:[^"\\\\]|\\\\.)*")|\\b(${kinds}) #(\\d{1,78})\\b|\\b(0x[0-9a-f]{64}|0x[0-9a-f]{40})\\b`,
  "gi",
);

/** A part of a sentence. */
export type Part = { text: string } & (
  | { is: "text" }
  | { is: "record"; kind: string; id: string }
  | { is: "account" | "hash"; hex: string }
);

/** A sentence in parts: plain texts, and the records, accounts and hashes that it mentions. 0 is the id of no record. */
export function partsOf(sentence: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: text, 2: kind, 3: id, 4: hex, index } of sentence.matchAll(PARTS)) {
    parts.push({ is: "text", text: sentence.slice(end, index) });
    if (kind !== undefined && id !== undefined && id !== "0") parts.push({ is: "record", text, kind, id });
    else if (hex !== undefined) parts.push({ is: hex.length === 42 ? "account" : "hash", text, hex });
    else parts.push({ is: "text", text });
    end = index + text.length;
  }
  return [...parts, { is: "text", text: sentence.slice(end) }];
}

/** The records and accounts that a sentence mentions. */
export const recordsInText = (sentence: string): readonly { kind: string; id: string }[] =>
  partsOf(sentence).flatMap((part) => {
    if (part.is === "record") return [{ kind: part.kind.toLowerCase(), id: part.id }];
    return part.is === "account" ? [{ kind: "account", id: part.hex.toLowerCase() }] : [];
  });
