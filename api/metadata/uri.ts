import type { Hex } from "viem";
import { type DocumentKind, documentPaths } from "../offchain/documents";
import { documentKinds } from "../offchain/tables";
import { MAX_CONTENT_BYTES } from "./content";
import { invalidUri } from "./unresolved";

/** Where metadata is found. */
export type Location =
  | { kind: "https"; url: URL }
  | { kind: "ipfs"; path: string }
  | { kind: "data"; bytes: Uint8Array }
  | { kind: "document"; documentKind: DocumentKind; hash: Hex };

const MAX_URL_CHARACTERS = 2_048;

/** The length of a data: URI whose content has the maximum size and is percent-encoded. */
const MAX_DATA_CHARACTERS = 3 * MAX_CONTENT_BYTES + 256;

const DOCUMENT = /^(\/[a-z-]+)\/(0x[0-9a-fA-F]{64})$/;

/** The characters of a CID of version 0 (base58) or 1 (base32, base36 or base58). */
const CID = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{20,120}|k[a-z0-9]{20,120}|z[1-9A-HJ-NP-Za-km-z]{20,120})$/;

function documentAt(path: string): Location | undefined {
  const [, prefix, hash] = DOCUMENT.exec(path) ?? [];
  const documentKind = documentKinds.find((kind) => documentPaths[kind] === prefix);
  return documentKind && hash ? { kind: "document", documentKind, hash: hash.toLowerCase() as Hex } : undefined;
}

/** The path below `/ipfs/` on a gateway. Segments are encoded again, so that they can't leave it. */
function ipfsLocation(uri: string): Location {
  const [cid = "", ...segments] = uri
    .slice("ipfs://".length)
    .replace(/^ipfs\//, "")
    .split("/");
  if (!CID.test(cid)) throw invalidUri("The IPFS URI has no valid CID");
  const names = segments.map(decoded);
  if (segments.some((segment) => /[?#]/.test(segment)) || names.some((name) => /^\.\.?$/.test(name)))
    throw invalidUri("The IPFS URI has an invalid path");
  const encoded = names.map(encodeURIComponent);
  return { kind: "ipfs", path: [cid, ...encoded].join("/") };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidUri("The URI has an invalid percent-encoding");
  }
}

function dataLocation(uri: string): Location {
  if (uri.length > MAX_DATA_CHARACTERS)
    throw invalidUri(`The data: URI has more than ${MAX_DATA_CHARACTERS} characters`);
  const comma = uri.indexOf(",");
  if (comma < 0) throw invalidUri("The data: URI has no comma");
  const body = uri.slice(comma + 1);
  if (!/;base64$/i.test(uri.slice(0, comma).trim())) return { kind: "data", bytes: Buffer.from(decoded(body)) };
  const text = decoded(body).replace(/\s/g, "");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw invalidUri("The data: URI is not valid base64");
  return { kind: "data", bytes: Buffer.from(text, "base64") };
}

/** Returns why a URL must not be requested, or undefined. Redirects have to meet the same rules. */
export function urlProblem(url: URL): string | undefined {
  if (url.protocol !== "https:") return "The URL must start with https://";
  if (url.port !== "") return "The URL must use port 443";
  if (url.username !== "" || url.password !== "") return "The URL must not contain credentials";
  return undefined;
}

/**
 * Parses a metadata URI. `ownOrigins` are the origins at which clients reach this service: its documents are read from the
 * store. Throws {@link Unresolved} for a URI that can't be resolved.
 */
export function locate(uri: string, ownOrigins: readonly string[]): Location {
  const trimmed = uri.trim();
  if (trimmed === "") throw invalidUri("The metadata URI is empty");
  if (/^data:/i.test(trimmed)) return dataLocation(trimmed);
  if (trimmed.length > MAX_URL_CHARACTERS)
    throw invalidUri(`The metadata URI has more than ${MAX_URL_CHARACTERS} characters`);
  if (/^ipfs:\/\//i.test(trimmed)) return ipfsLocation(`ipfs://${trimmed.slice("ipfs://".length)}`);
  const ownPath = documentAt(trimmed);
  if (ownPath) return ownPath;
  if (!URL.canParse(trimmed)) throw invalidUri("The metadata URI is not a URL");
  const url = new URL(trimmed);
  for (const base of ownOrigins) {
    const path = trimmed.startsWith(`${base}/`) ? trimmed.slice(base.length) : undefined;
    const own = path === undefined ? undefined : documentAt(path);
    if (own) return own;
    if (url.origin === new URL(base).origin) throw invalidUri("The URL is not that of a document of this service");
  }
  if (!["https:", "http:"].includes(url.protocol))
    throw invalidUri("The scheme of the metadata URI is not supported: use https, ipfs or data");
  const problem = urlProblem(url);
  if (problem) throw invalidUri(problem);
  return { kind: "https", url };
}
