import { contentOf } from "./document-content";
import { documentKinds } from "./documents";
import { ifAvailable, type OnFailure, type Reads } from "./reads";

/** How much of a document's text a page of another record shows. */
const SHOWN_TEXT = 600;

/** A published document that a hash on chain commits to. */
export type Evidence = {
  kind: string;
  hash: string;
  text: string;
  /** Whether the text goes on. */
  isCut: boolean;
  /** What it says in words. Null if it has no such field. */
  statement: string | null;
};

/** The published document with a hash. Null if none was published here. */
export async function readEvidence(api: Reads, hash: string | null, onFailure: OnFailure): Promise<Evidence | null> {
  if (hash === null) return null;
  const found = await ifAvailable(api.search.find.query({ q: hash }), onFailure);
  const known = found?.matches
    .map(({ type }) => documentKinds.find(({ kind }) => kind === type || kind === `${type}s`))
    .find((kind) => kind !== undefined);
  if (!known) return null;
  const text = await ifAvailable(known.readText(api, hash), onFailure);
  if (text === null) return null;
  const { kind } = known;
  const statement = contentOf(text)?.description ?? null;
  return { kind, hash, text: text.slice(0, SHOWN_TEXT), isCut: text.length > SHOWN_TEXT, statement };
}
