import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { createSemaphore, type Semaphore } from "../core/semaphore";
import { withDeadline } from "../core/with-deadline";
import { isPublicAddress } from "./address";
import { MAX_CONTENT_BYTES } from "./content";
import { Unresolved } from "./unresolved";
import { urlProblem } from "./uri";

/** The time of a whole fetch: DNS, connections, redirects and the body. */
const FETCH_MS = 8_000;
const MAX_REDIRECTS = 3;
const MAX_HEADER_BYTES = 16 * 1024;

/** Requests at once: in total, and to one address, which may have many names. */
const CONCURRENCY = 8;
const CONCURRENCY_PER_ADDRESS = 2;

/** Nothing was sent, because this address is busy with other requests. */
export class Busy extends Error {
  override name = "Busy";
}

/** The server to connect to. `servername` is undefined if the URL's host is an IP address. */
export type Target = { address: string; port: number; isTls: boolean; servername: string | undefined };

export type FetchOptions = {
  /** The addresses of a host name. */
  resolve?: (host: string) => Promise<string[]>;
  /** Opens a connection. Tests connect to a server of their own, after all checks. */
  connect?: (target: Target) => Socket;
  timeMs?: number;
};

/**
 * Requests a URL. With `isTrusted`, the operator chose its origin, which may be private and use http. That is true of the
 * request, not of the origin: URIs on chain and redirects of other hosts must not reach it.
 */
export type FetchBytes = (url: URL, signal: AbortSignal, options?: { isTrusted?: boolean }) => Promise<Uint8Array>;

/** Asks the configured DNS servers without the thread pool of `dns.lookup`, which slow names could occupy. */
async function resolveAll(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

const connectTo = ({ address, port, isTls, servername }: Target): Socket =>
  isTls
    ? connectTls({ host: address, port, ALPNProtocols: ["http/1.1"], ...(servername && { servername }) })
    : connectTcp({ host: address, port });

/** The host of a URL without the brackets of an IPv6 address. */
const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, "");

/**
 * Creates a function that requests a URL which anyone may have chosen. It connects only to addresses that it has checked
 * itself, so that a name can't change its address in between, and checks every redirect like the first URL. Size, time,
 * redirects and concurrency are bounded. No cookies, credentials or compression are used.
 */
export function createFetch({
  resolve = resolveAll,
  connect = connectTo,
  timeMs = FETCH_MS,
}: FetchOptions = {}): FetchBytes {
  const semaphore = createSemaphore(CONCURRENCY, CONCURRENCY_PER_ADDRESS);

  async function addressOf(url: URL, isTrusted: boolean): Promise<string> {
    const host = hostOf(url);
    const addresses = isIP(host) ? [host] : isTrusted && host === "localhost" ? ["127.0.0.1"] : await resolve(host);
    const [address] = addresses;
    if (address === undefined) throw new Unresolved("The host name has no address");
    // A name with one public and one private address is not an accident.
    if (!isTrusted && !addresses.every(isPublicAddress)) throw new Unresolved("The host is not on the public internet");
    return address;
  }

  async function fetchFrom(
    url: URL,
    trustedOrigin: string | undefined,
    signal: AbortSignal,
    redirects = 0,
  ): Promise<Uint8Array> {
    const isTrusted = url.origin === trustedOrigin;
    const problem = isTrusted ? undefined : urlProblem(url);
    if (problem) throw new Unresolved(redirects > 0 ? `A redirect is not allowed. ${problem}` : problem);
    const address = await addressOf(url, isTrusted);
    signal.throwIfAborted();
    const isTls = url.protocol === "https:";
    const port = url.port === "" ? (isTls ? 443 : 80) : Number(url.port);
    const servername = isIP(hostOf(url)) ? undefined : hostOf(url);
    const answer = await runNow(semaphore, address, () =>
      readResponse(url, () => connect({ address, port, isTls, servername }), signal),
    );
    if (answer instanceof Uint8Array) return answer;
    if (redirects === MAX_REDIRECTS) throw new Unresolved(`The server redirects more than ${MAX_REDIRECTS} times`);
    if (!URL.canParse(answer.location, url.href)) throw new Unresolved("The server redirects to an invalid URL");
    return fetchFrom(new URL(answer.location, url), isTrusted ? trustedOrigin : undefined, signal, redirects + 1);
  }

  return async (url, signal, { isTrusted = false } = {}) => {
    const limit = new AbortController();
    const end = () => limit.abort(signal.reason);
    signal.addEventListener("abort", end);
    try {
      return await withDeadline(fetchFrom(url, isTrusted ? url.origin : undefined, limit.signal), {
        ms: timeMs,
        signal,
      });
    } catch (error) {
      throw signal.aborted ? signal.reason : describe(error, timeMs);
    } finally {
      signal.removeEventListener("abort", end);
      limit.abort();
    }
  };
}

/** Runs a task if the address has a free permit. */
async function runNow<Value extends object>(semaphore: Semaphore, address: string, task: () => Promise<Value>) {
  const result = await semaphore.run(address, 0, task);
  if (result === null) throw new Busy(`${address} is busy`);
  return result;
}

/** The error for clients. Messages of Node and of servers stay in `cause`. */
function describe(error: unknown, timeMs: number): unknown {
  if (error instanceof Unresolved || error instanceof Busy) return error;
  if (error instanceof DOMException && error.name === "TimeoutError")
    return new Unresolved(`The server did not answer within ${timeMs / 1_000} s`, { cause: error });
  return new Unresolved("The server could not be reached", { cause: error });
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);

/** Sends a request. Returns the body, or the target of a redirect. */
async function readResponse(
  url: URL,
  createConnection: () => Socket,
  signal: AbortSignal,
): Promise<Uint8Array | { location: string }> {
  // With `createConnection`, Node uses no agent, and so neither its DNS lookup nor its connections. TLS is in the socket.
  const sent = request({
    createConnection,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, accept: "application/json", "accept-encoding": "identity", "user-agent": "intentry" },
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  });
  try {
    sent.end();
    const [response] = (await once(sent, "response", { signal })) as [IncomingMessage];
    const status = response.statusCode ?? 0;
    const { location, "content-encoding": encoding = "identity" } = response.headers;
    if (isRedirect(status) && location !== undefined) return { location };
    if (status !== 200) throw new Unresolved(`The server responded with status ${status}`);
    if (encoding !== "identity") throw new Unresolved("The server sent a compressed response, which was not accepted");
    return await readBody(response);
  } finally {
    // Also ends what an aborted or rejected response would still send. An error after this concerns nobody.
    sent.on("error", () => {});
    sent.destroy();
  }
}

async function readBody(response: IncomingMessage): Promise<Uint8Array> {
  const tooLarge = () => new Unresolved(`The content has more than ${MAX_CONTENT_BYTES} bytes`);
  if (Number(response.headers["content-length"] ?? 0) > MAX_CONTENT_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_CONTENT_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  if (!response.complete) throw new Error("The connection was closed before the end of the response");
  return Buffer.concat(chunks);
}
