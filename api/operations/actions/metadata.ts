import { type Hex, keccak256, stringToBytes, zeroHash } from "viem";
import { quotedText } from "../../../common/text";
import { chainString, MAX_TEXT } from "../../actions/terms";
import { BadInput } from "../../core/errors";
import { hash, jsonObject, shortText } from "../../core/inputs";
import type { Scope } from "./scope";

/** The metadata of a record: an object to publish, or the URI of one that is published. */
export const metadataFields = {
  metadata: jsonObject.optional().openapi({
    description: "Published as a document, whose URI and hash are written on chain. Instead of metadata_uri.",
    example: { name: "Skyline Data", description: "Weather for agents." },
  }),
  metadata_uri: chainString.optional(),
};

/** The same for records with a hash of their metadata. */
export const hashedMetadataFields = {
  ...metadataFields,
  metadata_hash: hash.optional().openapi({ description: "The hash of the document at metadata_uri." }),
};

/** What a record can do, as text. */
export const capabilityFields = (name: string) => ({
  capabilities: shortText.optional().openapi({
    description: `A text whose keccak256 is ${name}.`,
    example: "trade,hedge",
  }),
});

type Sent = {
  metadata?: Record<string, unknown> | undefined;
  metadata_uri?: string | undefined;
  metadata_hash?: Hex | undefined;
};

type Metadata = { uri: string; hash: Hex };

/** The metadata to write on chain: what was sent, or else that of the record as it is. */
export async function metadataOf(sent: Sent, scope: Scope, current?: Metadata): Promise<Metadata> {
  const { metadata, metadata_uri: uri, metadata_hash } = sent;
  if (metadata !== undefined) {
    if (uri !== undefined || metadata_hash !== undefined)
      throw new BadInput("metadata: can't be combined with metadata_uri or metadata_hash");
    return scope.publishMetadata(metadata);
  }
  // The hash of a document at the same place stays.
  if (uri !== undefined) return { uri, hash: metadata_hash ?? (uri === current?.uri ? current.hash : zeroHash) };
  if (current) return { ...current, hash: metadata_hash ?? current.hash };
  throw new BadInput("metadata: is required, or metadata_uri");
}

/** A hash, given as it is or as the text that it is of. */
export function hashOf(field: string, given: Hex | undefined, text: string | undefined, current: Hex = zeroHash): Hex {
  if (given !== undefined && text !== undefined) throw new BadInput(`${field}: can't be combined with its text`);
  if (text !== undefined) return keccak256(stringToBytes(text));
  return given ?? current;
}

/** Where the metadata is, for a summary. The whole text, because exactly this is written on chain. */
export const describeUri = (uri: string): string => `its metadata is at ${quotedText(uri, MAX_TEXT)}`;

/**
 * Values that nobody can read but the contract keeps, for a summary: everything in the calldata is also in the summary. Zero and
 * empty ones are "no" values.
 */
export const describeValues = (values: Readonly<Record<string, Hex>>): string =>
  `with ${listed(Object.entries(values).map(([name, value]) => (value === zeroHash || value === "0x" ? `no ${name}` : `the ${name} ${value}`)))}`;

const listed = (texts: readonly string[]) =>
  [texts.slice(0, -1).join(", "), ...texts.slice(-1)].filter(Boolean).join(" and ");

/** Whether a record will be active, for a summary. */
export const describeActivity = (before: boolean, after: boolean): string =>
  `${before === after ? "it stays" : "it becomes"} ${after ? "active" : "inactive"}`;
