import { beforeAll, describe, expect, it } from "vitest";
import { host } from "../support/gateway-requests";
import { parseAnswer, sendRaw } from "../support/raw-http";
import { type SampleStack, sampleStack } from "../support/shared-stack";

type Case = {
  method: string;
  path: string;
  headers?: readonly string[];
  body?: string | Buffer;
  status: number;
};

const JSON_BODY = ["Content-Type: application/json"];

const owner = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

const reads: Case[] = [
  ...["/agents/1", "/agents/1/", `/agents?owner=${owner}`, "/intents?total=true&limit=2", "/health"].map((path) => ({
    method: "GET",
    path,
    status: 200,
  })),
  { method: "GET", path: "/agents/1", headers: ['If-None-Match: "a"', "If-None-Match: *"], status: 304 },
  { method: "GET", path: "/agents/1", headers: ["Authorization: Bearer a", "Authorization: Bearer b"], status: 200 },
  ...["/attestations", "/agents/x", "/intents?limit=0", "/intents?limit=1&limit=2", "/intents?cursor=%ff"].map(
    (path) => ({
      method: "GET",
      path,
      status: 400,
    }),
  ),
  { method: "GET", path: "/agents/999999", status: 404 },
  { method: "GET", path: "/agents/1/nowhere", status: 404 },
  ...["/intents/metadata", "/intents/metadata/", "/preflight"].map((path) => ({ method: "GET", path, status: 405 })),
];

const badBodies: { headers?: readonly string[]; body?: string | Buffer }[] = [
  {},
  { headers: JSON_BODY },
  { headers: JSON_BODY, body: "" },
  { headers: JSON_BODY, body: "{" },
  { headers: JSON_BODY, body: "[]" },
  { headers: JSON_BODY, body: "{}" },
  { headers: JSON_BODY, body: '{"owner":1}' },
  { headers: JSON_BODY, body: Buffer.from([0x22, 0xff, 0x22]) },
  { body: "{}" },
  { headers: ["Content-Type: text/plain"], body: "{}" },
  { headers: [...JSON_BODY, ...JSON_BODY], body: "{}" },
  { headers: [...JSON_BODY, "Content-Type: text/plain"], body: "{}" },
  { headers: ["Content-Type: application/json, application/json"], body: "{}" },
];

const others: Case[] = [
  ...["/intents/metadata", "/preflight", "/catalogs", "/intents/6/bids"].flatMap((path) =>
    badBodies.map((bad) => ({ method: "POST", path, status: 400, ...bad })),
  ),
  { method: "POST", path: "/catalogs/", headers: JSON_BODY, body: "{}", status: 400 },
  { method: "POST", path: "/catalogs", headers: JSON_BODY, body: "x".repeat(300_000), status: 413 },
  { method: "POST", path: "/agents/1", headers: JSON_BODY, body: "{}", status: 405 },
  { method: "PUT", path: "/intents/metadata", headers: JSON_BODY, body: "{}", status: 405 },
  { method: "DELETE", path: "/agents/1", status: 405 },
  { method: "DELETE", path: "/intents/metadata", status: 405 },
  { method: "OPTIONS", path: "/intents/metadata", status: 204 },
];

const nameOf = ({ method, path, headers = [], body }: Case) =>
  [`${method} ${path}`, ...headers, ...(body === undefined ? [] : [`${body.length} bytes: ${body.slice(0, 20)}`])].join(
    ", ",
  );

/** The responses to requests must not depend on how the request is framed, and on how its URL is spelled. */
describe("one response to a request", () => {
  let stack: SampleStack;

  beforeAll(async () => {
    stack = await sampleStack();
  });

  const send = async (method: string, path: string, headers: readonly string[], body: readonly (string | Buffer)[]) => {
    const lines = [`${method} ${path} HTTP/1.1`, host, "Connection: close", ...headers, "", ""];
    const answer = parseAnswer(
      await sendRaw(stack.apiUrl, Buffer.concat([lines.join("\r\n"), ...body].map((part) => Buffer.from(part)))),
    );
    for (const name of ["date", "x-request-id", "connection"]) delete answer.headers[name];
    return answer;
  };
  const sized = ({ method, path, headers = [], body }: Case) =>
    body === undefined
      ? send(method, path, headers, [])
      : send(method, path, [...headers, `Content-Length: ${Buffer.byteLength(body)}`], [body]);
  const chunked = ({ method, path, headers = [], body = "" }: Case) => {
    const length = Buffer.byteLength(body);
    const chunks = length === 0 ? [] : [`${length.toString(16)}\r\n`, body, "\r\n"];
    return send(method, path, [...headers, "Transfer-Encoding: chunked"], [...chunks, "0\r\n\r\n"]);
  };
  /** The same URL with its first letter percent-encoded. */
  const encoded = (one: Case): Case => ({
    ...one,
    path: `/%${one.path.charCodeAt(1).toString(16)}${one.path.slice(2)}`,
  });

  it.each([...reads, ...others].map((one) => [nameOf(one), one] as const))(
    "is the same if it is sized or chunked, and for another spelling of its URL: %s",
    async (_, one) => {
      const answer = await sized(one);
      expect(answer.status).toBe(one.status);
      if (one.status >= 400)
        expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String), code: expect.any(String) });
      if (one.status === 405) expect(answer.headers.allow).toMatch(/OPTIONS$/);
      expect(await chunked(one)).toEqual(answer);
      // The message of an unknown route has the path as it was sent.
      if (answer.body.includes("unknown_route")) return;
      expect(await sized(encoded(one))).toEqual(answer);
      expect(await chunked(encoded(one))).toEqual(answer);
    },
  );

  it.each([...reads.map((one) => [nameOf(one), one] as const)])(
    "to HEAD has the status and headers of GET, also the length: %s",
    async (_, one) => {
      const { body, ...head } = await sized(one);
      // The methods of a path are named in the message, so their lengths differ.
      const sameAs = (answer: typeof head) =>
        one.status === 405
          ? { ...answer, headers: { ...answer.headers, "content-length": expect.any(String) } }
          : answer;
      for (const form of [one, encoded(one)].map((form) => ({ ...form, method: "HEAD" }))) {
        if (body.includes("unknown_route") && form.path !== one.path) continue;
        const { body: none, ...answer } = await sized(form);
        expect(none).toBe("");
        const expected = body.includes("unknown_route")
          ? { ...head, headers: { ...head.headers, "content-length": String(body.length + 1) } }
          : sameAs(head);
        expect(answer).toEqual(expected);
      }
      if (one.status !== 304) expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(body)));
    },
  );
});
