import { Fragment } from "preact";
import { links } from "../links";
import { type Part, partsOf } from "../text/mentions";
import { Hex } from "./hex";
import { type RecordKind, RecordLink } from "./record-link";
import { Amount } from "./tokens";
import { Account } from "./values";

/** The pages of hashes, by the words before them. The quote that a settlement names need not exist. Others lead nowhere. */
const pagesByWords: readonly [RegExp, (hex: string) => string][] = [
  [/\(quote $/, links.quote],
  [/\bfor quote $/, links.find],
  [/\(settlement $/, links.settlement],
  [/\bschema $/, links.schema],
  [/\babout $/, links.find],
];

const pageOfHash = (before: string, hash: string) => pagesByWords.find(([words]) => words.test(before))?.[1](hash);

function shown(part: Part, before: string) {
  switch (part.is) {
    case "text":
      return part.text;
    case "record":
      return <RecordLink kind={part.kind.toLowerCase() as RecordKind} id={part.id} before={part.kind} />;
    case "account":
      return /\btoken $/.test(before) ? (
        <Hex value={part.hex.toLowerCase()} bare href={links.token(part.hex.toLowerCase())} />
      ) : (
        <Account value={part.hex.toLowerCase()} bare />
      );
    case "symbol":
      return <a href={links.find(part.text)}>{part.text}</a>;
    case "number":
      return <Amount value={part.text} />;
    case "hash":
      return <Hex value={part.hex} bare href={pageOfHash(before, part.hex)} />;
  }
}

/** The accounts, tokens and records in a sentence become links, by their names. */
export function Sentence({ text }: { text: string }) {
  const parts = partsOf(text);
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>{shown(part, parts[index - 1]?.text ?? "")}</Fragment>
      ))}
    </>
  );
}
