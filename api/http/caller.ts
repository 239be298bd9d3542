import { createHash, timingSafeEqual } from "node:crypto";
import type { Context as HonoContext } from "hono";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import type { Config } from "../core/context";
import type { Caller } from "../core/operation";
import type { Env } from "./reply";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Returns the request's bearer token if it is valid. Compares digests in constant time. */
export function validToken(header: string | undefined, tokens: readonly string[]): string | undefined {
  const sent = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  if (sent === undefined) return undefined;
  const sentDigest = digest(sent);
  return tokens.filter((token) => timingSafeEqual(digest(token), sentDigest))[0];
}

/** An address without its port, as some load balancers send it: `192.0.2.7:443` or `[2001:db8::1]:443`. */
const withoutPort = (address: string) =>
  /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address)?.slice(1).find(Boolean) ?? address;

/**
 * The rate-limit key of an address: the IPv4 address, or the /64 network of an IPv6 address (its first four groups), the usual
 * allocation to one customer. Ports and zones are left out.
 */
export function clientOf(address: string): string {
  const known = clients.get(address);
  if (known !== undefined) return known;
  const client = parseClient(address);
  clients.set(address, client);
  return client;
}

/** The keys of the last addresses. Parsing an address takes longer than the rest of a request's accounting. */
const clients = new LRUCache<string, string>({ max: 1_000 });

function parseClient(address: string): string {
  const text = withoutPort(address);
  if (!ipaddr.isValid(text)) return address;
  // An IPv4 address that is mapped to IPv6 becomes IPv4.
  const parsed = ipaddr.process(text);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}

/** The last entry of a forwarding header, which the trusted proxy added. */
const lastOf = (header: string | undefined) => header?.split(",").at(-1)?.trim() || undefined;

/** Forwarded values become part of URLs in responses, so they are validated. */
const isProtocol = (text: string) => /^https?$/i.test(text);
const isHost = (text: string) => /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(text);

type Settings = Pick<Config, "trustProxy" | "publicBaseUrl" | "writeTokens">;

/** The scheme and host of a URL: `https://api.example`. */
const originOf = (url: string) => url.slice(0, url.indexOf("/", url.indexOf("://") + 3));

/** The URL and the address that a trusted proxy has forwarded, as far as they are valid. */
function forwardedBy({ req }: HonoContext<Env>) {
  const [protocol, host] = [lastOf(req.header("x-forwarded-proto")), lastOf(req.header("x-forwarded-host"))];
  const [ownProtocol, ownHost] = originOf(req.url).split("://");
  const origin = `${protocol && isProtocol(protocol) ? protocol : ownProtocol}://${host && isHost(host) ? host : ownHost}`;
  return { origin, address: lastOf(req.header("x-forwarded-for")) };
}

/** Reads the caller of a request. Its rate-limit key is its valid write token, or the address that sent it. Uses forwarding headers only with `trustProxy`. */
export function callerOf(c: HonoContext<Env>, { trustProxy, publicBaseUrl, writeTokens }: Settings): Caller {
  const forwarded = trustProxy ? forwardedBy(c) : undefined;
  const baseUrl = publicBaseUrl ?? forwarded?.origin ?? originOf(c.req.url);
  const token = validToken(c.req.header("authorization"), writeTokens);
  if (token !== undefined)
    return { baseUrl, client: `token ${digest(token).toString("hex").slice(0, 16)}`, hasWriteToken: true };
  const address = forwarded?.address ?? c.env?.incoming?.socket.remoteAddress ?? "unknown";
  return { baseUrl, client: clientOf(address), hasWriteToken: false };
}
