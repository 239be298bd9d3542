import { expect } from "vitest";
import { actor } from "../../stack/local/chain";

export const owner = actor(1).address.toLowerCase();

/** A request with status 200 for each documented path. */
export const readable = [
  "/agents/1",
  `/agents?owner=${owner}`,
  "/intents/1",
  "/intents",
  "/intents?limit=2&total=true",
  "/intents/1/bids",
  `/accounts/${owner}/policies`,
  "/attestations/1",
  "/attestations?revoked=false",
  "/solvers/1",
  "/solvers",
  "/attestors/1",
  "/attestors",
  "/merchants/1",
  "/merchants",
  "/merchants/1/reputation",
  "/agents/1/reputation",
  "/trust/merchant/1",
  "/services/1",
  "/services",
  "/facilitators/1",
  "/facilitators",
  "/quotes",
  "/receipts/1",
  "/receipts",
  "/disputes/1",
  "/disputes",
  "/trust-signals",
  "/analytics/commerce",
  "/analytics/timeseries?metric=intents&interval=day",
  "/tokens/0x0000000000000000000000000000000000000000",
  "/health",
  "/ready",
  "/openapi.json",
  "/docs",
];

export const host = "Host: localhost";
export const head = (line: string, ...headers: string[]) =>
  `${[line, ...headers, "Connection: close"].join("\r\n")}\r\n\r\n`;
export const get = (target: string, ...headers: string[]) =>
  head(`GET ${target} HTTP/1.1`, ...(headers.length > 0 ? headers : [host]));

/** Sends a request, and checks that the response has a request id and allows every origin. */
export async function request(apiUrl: string, path: string, init: RequestInit = {}) {
  const response = await fetch(apiUrl + path, init);
  const { status, headers } = response;
  expect(headers.get("x-request-id")).toMatch(/^[\w=-]{1,255}$/);
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-allow-credentials")).toBeNull();
  return { status, headers, body: await response.text() };
}
