const kinds = "agent|intent|solver|attestor|merchant|service|facilitator|receipt|dispute|attestation";

/**
 * An amount with the symbol of its token, such as `25,000.00 tUSD`. After a token that is not listed, a sentence of the API has
 * its address, which is the link then. Amounts can also be followed by a word, as in "250.00 a payment" and "5.00 today".
 */
const AMOUNT =
  "(?<![\\w.,])\\d[\\d,]*\\.\\d{2,} (?!(?:of|a|today)\\b)([\\w$₮.+-]{0,15}[\\w$₮+])(?![\\w$₮+-]| \\(token)";

/** The fee of a bid, which has no token. */
const FEE = "\\bfee (\\d+)\\b";

/** Quoted texts of the chain, records, hashes and addresses, amounts and fees, in this order: a quoted text mentions nothing. */
const PARTS = new RegExp(
  `("(?:[^"\\\\]|\\\\.)*")|\\b(${kinds}) #(\\d{1,78})\\b|\\b(0x[0-9a-f]{64}|0x[0-9a-f]{40})\\b|${AMOUNT}|${FEE}`,
  "gi",
);

/** A part of a sentence. */
export type Part = { text: string } & (
  | { is: "text" }
  | { is: "record"; kind: string; id: string }
  | { is: "account" | "hash"; hex: string }
  | { is: "symbol" | "number" }
);

/** A sentence in parts: plain texts, and the records, accounts, hashes, listed tokens and fees that it mentions. 0 is the id of no record. */
export function partsOf(sentence: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: found, 2: kind, 3: id, 4: hex, 5: symbol, 6: fee, index: start } of sentence.matchAll(PARTS)) {
    const text = symbol ?? fee ?? found;
    const index = start + found.length - text.length;
    parts.push({ is: "text", text: sentence.slice(end, index) });
    if (kind !== undefined && id !== undefined && id !== "0") parts.push({ is: "record", text, kind, id });
    else if (hex !== undefined) parts.push({ is: hex.length === 42 ? "account" : "hash", text, hex });
    else parts.push({ is: fee !== undefined ? "number" : symbol === undefined ? "text" : "symbol", text });
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
