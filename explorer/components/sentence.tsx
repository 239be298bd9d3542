import { Fragment } from "preact";
import { type Part, partsOf } from "../text/mentions";
import { Hex } from "./hex";
import { type RecordKind, RecordLink } from "./record-link";
import { Account } from "./values";

function shown(part: Part) {
  switch (part.is) {
    case "text":
      return part.text;
    case "record":
      return <RecordLink kind={part.kind.toLowerCase() as RecordKind} id={part.id} before={part.kind} />;
    case "account":
      return <Account value={part.hex.toLowerCase()} bare />;
    case "hash":
      return <Hex value={part.hex} bare />;
  }
}

/** The accounts and records in a sentence become links, by their names. */
export const Sentence = ({ text }: { text: string }) => (
  <>
    {partsOf(text).map((part, index) => (
      <Fragment key={index}>{shown(part)}</Fragment>
    ))}
  </>
);
