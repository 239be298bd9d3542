import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Context as HonoContext } from "hono";
import ipaddr from "ipaddr.js";
import type { Config } from "../core/context";
import type { Caller } from "../core/operation";

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

/** Where a request comes from, and its headers. */
export type Origin = {
  header: (name: string) => string | undefined;
  remoteAddress: string | undefined;
};

/** The rate-limit key of a request: its valid write token, or the address that sent it. */
export function clientKeyOf(
  { header, remoteAddress }: Origin,
  { trustProxy, writeTokens }: Pick<Settings, "trustProxy" | "writeTokens">,
): string {
  const token = validToken(header("authorization"), writeTokens);
  if (token !== undefined) return `token ${digest(token).toString("hex").slice(0, 16)}`;
  return clientOf((trustProxy ? lastOf(header("x-forwarded-for")) : undefined) ?? remoteAddress ?? "unknown");
}

/** The headers and the address of a request that is served without Hono. Repeated headers are joined, as Hono does. */
export const originOf = (request: IncomingMessage): Origin => ({
  header: (name) => request.headersDistinct[name]?.join(", "),
  remoteAddress: request.socket.remoteAddress,
});

/** Reads the caller of a request that Hono handles. */
export function callerOf(c: HonoContext, settings: Settings): Caller {
  const { protocol, host } = new URL(c.req.url);
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  const origin = { header: (name: string) => c.req.header(name), remoteAddress: incoming?.socket.remoteAddress };
  return callerFrom(origin, `${protocol}//${host}`, settings);
}

/** Reads the caller of a request to `url`. Uses forwarding headers only with `trustProxy`. */
export function callerFrom(origin: Origin, url: string, settings: Settings): Caller {
  const { trustProxy, publicBaseUrl, writeTokens } = settings;
  const { header } = origin;
  const forwarded = (name: string, isValid: (value: string) => boolean) => {
    const value = trustProxy ? lastOf(header(name)) : undefined;
    return value !== undefined && isValid(value) ? value : undefined;
  };
  const [protocol, host] = url.split("://");
  return {
    baseUrl:
      publicBaseUrl ??
      `${forwarded("x-forwarded-proto", isProtocol) ?? protocol}://${forwarded("x-forwarded-host", isHost) ?? host}`,
    client: clientKeyOf(origin, settings),
    hasWriteToken: validToken(header("authorization"), writeTokens) !== undefined,
  };
}
