import { Hex } from "./hex";
import { type RecordKind, RecordLink } from "./record-link";
import { Account } from "./values";

const kinds = "agent|intent|solver|attestor|merchant|service|facilitator|receipt|dispute|attestation";

/** Quoted texts of the chain, records, and hashes and addresses, in this order: a quoted text has no links. */
const PARTS = new RegExp(
  `("(?:[^"\\\\]|\\\\.)*")|\\b(${kinds}) #(\\d{1,78})\\b|\\b(0x[0-9a-f]{64}|0x[0-9a-f]{40})\\b`,
  "gi",
);

/** The addresses and records in a sentence become links, by their names. */
export function Sentence({ text }: { text: string }) {
  const parts = [];
  let end = 0;
  for (const { 0: part, 1: quoted, 2: kind, 3: id, 4: hex, index } of text.matchAll(PARTS)) {
    parts.push(text.slice(end, index));
    if (quoted !== undefined) parts.push(quoted);
    else if (kind !== undefined && id !== undefined)
      parts.push(
        id === "0" ? part : <RecordLink key={index} kind={kind.toLowerCase() as RecordKind} id={id} before={kind} />,
      );
    else if (hex !== undefined)
      parts.push(hex.length === 42 ? <Account key={index} value={hex} bare /> : <Hex key={index} value={hex} bare />);
    end = index + part.length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
