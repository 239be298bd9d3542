import type { Hex } from "viem";
import type { DocumentKind } from "../offchain/documents";
import { keccak256 } from "../offchain/keccak";
import type { DueRecord, Outcome, Plan } from "../offchain/resolved-metadata";
import { parseContent } from "./content";
import type { FetchBytes } from "./fetch";
import { Unresolved } from "./unresolved";
import { type Location, locate } from "./uri";

export type Sources = {
  /** The origins at which clients reach this service. */
  ownOrigins: readonly string[];
  ipfsGateways: readonly string[];
  fetchBytes: FetchBytes;
  readDocument: (kind: DocumentKind, hash: Hex) => Promise<Uint8Array | null>;
};

type Resolution = Omit<Outcome, "attempts" | "retryMs"> & { isPermanent: boolean };

const nothing = { contentHash: null, content: null, name: null, description: null, tags: [], capabilities: [] };

/** How a URI will be resolved. An invalid URI needs no other host. */
export function planFor(uri: string, ownOrigins: readonly string[]): Plan {
  try {
    const location = locate(uri, ownOrigins);
    return {
      isRemote: location.kind === "https" || location.kind === "ipfs",
      documentHash: location.kind === "document" ? location.hash : null,
    };
  } catch (error) {
    if (!(error instanceof Unresolved)) throw error;
    return { isRemote: false, documentHash: null };
  }
}

/** The state of fetched bytes. Content that contradicts the chain is not kept. */
function judge(bytes: Uint8Array, hash: string | null): Resolution {
  const contentHash = keccak256(bytes);
  if (hash !== null && hash !== contentHash)
    return {
      ...nothing,
      state: "mismatch",
      reason: `The content's hash is ${contentHash}`,
      contentHash,
      isPermanent: false,
    };
  const state = hash === null ? "unverified" : "verified";
  return { ...parseContent(bytes), state, reason: null, contentHash, isPermanent: true };
}

/** Asks the gateways in turn, until one has content that agrees with the chain. */
async function resolveIpfs(
  path: string,
  hash: string | null,
  { ipfsGateways, fetchBytes }: Sources,
  signal: AbortSignal,
): Promise<Resolution> {
  let last: Resolution | Unresolved = new Unresolved("No IPFS gateway is configured (IPFS_GATEWAYS)");
  for (const gateway of ipfsGateways) {
    try {
      const bytes = await fetchBytes(new URL(`${gateway}/ipfs/${path}`), signal, { isTrusted: true });
      last = judge(bytes, hash);
      if (last.state !== "mismatch") return last;
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error;
      last = error;
    }
  }
  if (last instanceof Unresolved) throw last;
  return last;
}

async function resolveAt(location: Location, hash: string | null, sources: Sources, signal: AbortSignal) {
  switch (location.kind) {
    case "data":
      return judge(location.bytes, hash);
    case "ipfs":
      return resolveIpfs(location.path, hash, sources, signal);
    case "https":
      return judge(await sources.fetchBytes(location.url, signal), hash);
    case "document": {
      const bytes = await sources.readDocument(location.documentKind, location.hash);
      if (!bytes) throw new Unresolved("The document is not published");
      return judge(bytes, hash);
    }
  }
}

/** Fetches, verifies and parses the metadata of a record. Its own faults become a state, with the reason. */
export async function resolveMetadata(
  { uri, hash }: Pick<DueRecord, "uri" | "hash">,
  sources: Sources,
  signal: AbortSignal,
): Promise<Resolution> {
  try {
    return await resolveAt(locate(uri, sources.ownOrigins), hash, sources, signal);
  } catch (error) {
    if (!(error instanceof Unresolved)) throw error;
    return { ...nothing, state: "unreachable", reason: error.message, isPermanent: error.isPermanent };
  }
}
