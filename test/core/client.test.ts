import { createTRPCClient, httpBatchLink, httpLink } from "@trpc/client";
import type { AnyRouter } from "@trpc/server";
import { zeroHash } from "viem";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { AnyOperation } from "../../api/core/operation";
import { freeCalls } from "../../api/operations/index";
import { routeOf } from "../../api/transports/rest/route";
import { createIntentryClient, type IntentryClient, IntentryError, iterate, type Quote } from "../../client/src/index";
import { serverSent } from "../../client/src/server-sent";
import { people } from "../../stack/local/sample/people";
import { type Found, findParameters } from "../support/found";
import { addressOf, ask } from "../support/lists/asking";
import { type SampleStack, sampleStack } from "../support/shared-stack";

type Call = { query: (input: unknown) => Promise<unknown>; mutate: (input: unknown) => Promise<unknown> };

describe("the client and tRPC, on the sample chain", () => {
  let stack: SampleStack;
  let intentry: IntentryClient;
  /** Parameters that depend on the chain, unlike the examples. */
  let found: Found;

  beforeAll(async () => {
    stack = await sampleStack();
    intentry = createIntentryClient({ url: stack.apiUrl });
    found = await findParameters(stack.apiUrl);
  }, 180_000);

  const exampleOf = (name: string, { example }: AnyOperation) => ({ ...example, ...found[name] });
  const call = (name: string, client: unknown = intentry): Call =>
    name.split(".").reduce((place, part) => (place as Record<string, unknown>)[part], client) as Call;

  const reads = freeCalls.filter(({ operation }) => operation.route.startsWith("GET "));

  it.each(reads)("$name returns the same as REST", async ({ name, operation }) => {
    const input = exampleOf(name, operation);
    const texts = Object.fromEntries(Object.entries(input).map(([key, value]) => [key, String(value)]));
    // Metadata and tokens that are resolved between the two reads change the response.
    await vi.waitFor(
      async () => {
        const response = await fetch(stack.apiUrl + addressOf(routeOf(operation).path, texts));
        const text = await response.text();
        expect(response.status, text).toBe(200);
        expect(await call(name).query(input)).toEqual(operation.document ? text : JSON.parse(text));
      },
      { timeout: 20_000 },
    );
  });

  it("serves single calls of a plain tRPC client, by GET", async () => {
    const plain = createTRPCClient<AnyRouter>({ links: [httpLink({ url: `${stack.apiUrl}/trpc` })] });
    expect(await call("agents.get", plain).query({ agentId: 1 })).toEqual(await ask(stack.apiUrl, "/agents/1"));
  });

  it("accepts numbers, bigints and booleans where REST has strings", async () => {
    const byText = await intentry.intents.get.query({ id: "1" });
    expect(await intentry.intents.get.query({ id: 1 })).toEqual(byText);
    expect(await intentry.intents.get.query({ id: 1n })).toEqual(byText);
    const { pagination } = await intentry.intents.list.query({ limit: 2, total: true });
    expect(pagination).toMatchObject({ limit: 2, count: 2, total: 6 });
  });

  it.each<[string, string, unknown, string, string]>([
    ["query", "agents.get", { agentId: "x" }, "BAD_REQUEST", "/agents/x"],
    ["query", "agents.get", { agentId: "999" }, "NOT_FOUND", "/agents/999"],
    ["query", "intents.list", { limit: 0, owner: "bob" }, "BAD_REQUEST", "/intents?limit=0&owner=bob"],
  ])("a %s of %s with %j fails with the message of REST, as %s", async (_, name, input, code, path) => {
    const body = (await (await fetch(stack.apiUrl + path)).json()) as { error: string; code: string };
    const { error, code: errorCode } = body;
    expect(Object.keys(body)).toEqual(["error", "code"]);
    const failure = await call(name)
      .query(input)
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(IntentryError);
    expect(failure).toMatchObject({ message: error, code: errorCode, status: code === "NOT_FOUND" ? 404 : 400 });
    const raw = await fetch(`${stack.apiUrl}/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`);
    expect(await raw.json()).toMatchObject({
      error: { message: error, data: { code, errorCode, httpStatus: raw.status } },
    });
  });

  it("rejects writes with the messages of REST", async () => {
    await expect(intentry.documents.publishCatalog.mutate({ catalog_json: "{" })).rejects.toThrow(
      "catalog_json: is not valid JSON",
    );
    const expected_hash = zeroHash;
    const differs = intentry.documents.publishCatalog.mutate({ catalog_json: "{}", expected_hash });
    await expect(differs).rejects.toMatchObject({ name: "IntentryError", status: 409, code: "conflict" });
  });

  it("has no operations beyond REST, and no paid ones", async () => {
    const paid = call(
      "portfolio.get",
      createTRPCClient<AnyRouter>({ links: [httpLink({ url: `${stack.apiUrl}/trpc` })] }),
    );
    await expect(paid.query({ address: people.alice.address })).rejects.toMatchObject({ data: { code: "NOT_FOUND" } });
  });

  it.each<[string, string, RequestInit, number, string]>([
    ["no call", "/trpc", {}, 404, "unknown_route"],
    ["an unknown call", "/trpc/agents.steal", {}, 404, "unknown_route"],
    ["another method", "/trpc/agents.get", { method: "DELETE" }, 405, "method_not_allowed"],
    ["a mutation sent as a query", "/trpc/documents.publishCatalog", {}, 405, "method_not_allowed"],
    ["an input that is not JSON", "/trpc/agents.get?input=%7B", {}, 400, "invalid_input"],
    [
      "51 calls",
      `/trpc/${Array.from({ length: 51 }, () => "status.health").join(",")}?batch=1&input=%7B%7D`,
      {},
      400,
      "invalid_input",
    ],
    ["a body of 1 MB", "/trpc/documents.publishCatalog", { method: "POST", body: "x".repeat(1e6) }, 413, "too_large"],
    [
      "another content type",
      "/trpc/documents.publishCatalog",
      { method: "POST", body: "{}" },
      415,
      "unsupported_media_type",
    ],
  ])("rejects %s", async (_, path, init, status, code) => {
    const response = await fetch(stack.apiUrl + path, init);
    const text = await response.text();
    expect([response.status, text]).toEqual([status, expect.not.stringContaining("    at ")]);
    expect(text).toMatch(new RegExp(`"(code|errorCode)":"${code}"`));
  });

  it.each([
    ["one call", httpLink],
    ["several calls", httpBatchLink],
  ])("returns 413 to a plain client with %s per request", async (_, link) => {
    const plain = createTRPCClient<AnyRouter>({ links: [link({ url: `${stack.apiUrl}/trpc` })] });
    const publish = () => call("documents.publishCatalog", plain).mutate({ catalog_json: "x".repeat(300_000) });
    const said = {
      message: "body: must have at most 262144 bytes",
      data: { code: "PAYLOAD_TOO_LARGE", httpStatus: 413 },
    };
    await Promise.all([publish(), publish()].map((sent) => expect(sent).rejects.toMatchObject(said)));
  });

  it("streams live events over tRPC, and resumes after the last one", async () => {
    const read = async (input: Record<string, unknown>, count: number) => {
      const given = encodeURIComponent(JSON.stringify(input));
      const response = await fetch(`${stack.apiUrl}/trpc/events.subscribe?input=${given}`);
      const messages: { id: string | undefined; message: { type: string; data: { event?: string } } }[] = [];
      if (response.body)
        for await (const { event, id, data } of serverSent(response.body)) {
          if (event !== undefined) continue;
          messages.push({ id, message: JSON.parse(data) });
          if (messages.length === count) break;
        }
      return messages;
    };
    const all = await read({ from_block: 0, contract: "AgentRegistry" }, 4);
    expect(all.map(({ message }) => message.type)).toEqual(["ready", "event", "event", "event"]);
    expect(all[1]?.message.data.event).toBe("AgentRegistered");
    const [, resumed] = await read({ contract: "AgentRegistry", lastEventId: all[1]?.id }, 2);
    expect(resumed).toEqual(all[2]);

    const wrong = await fetch(
      `${stack.apiUrl}/trpc/events.subscribe?input=${encodeURIComponent('{"name":"Nothing"}')}`,
    );
    expect(await wrong.text()).toContain("name: must be one of");
    const unknown = encodeURIComponent(`{"lastEventId":"999999999999-000000-${"f".repeat(16)}"}`);
    const ended = await (await fetch(`${stack.apiUrl}/trpc/events.subscribe?input=${unknown}`)).text();
    expect(ended).toMatch(/event: serialized-error\ndata: .*"code":"NOT_FOUND","httpStatus":404/);
  });

  it("reads every page", async () => {
    const ids: string[] = [];
    for await (const { receipt_id } of iterate(intentry.receipts.list, { limit: 1 })) ids.push(receipt_id);
    const { receipts } = await intentry.receipts.list.query({ limit: 100 });
    expect(ids).toEqual(receipts.map(({ receipt_id }) => receipt_id));
    expect(ids.length).toBeGreaterThan(2);
  });

  it("iterates over exactly the policies of an account", async () => {
    const { address } = people.bob;
    const { policies } = await intentry.accounts.policies.query({ address, limit: 100 });
    const read: unknown[] = [];
    for await (const policy of iterate(intentry.accounts.policies, { address, limit: 1 })) read.push(policy);
    expect(read).toEqual(policies);
    expect(read.length).toBeGreaterThan(1);
  });

  it("hashes quotes like the registry", async () => {
    const quotes: Quote[] = [];
    for await (const quote of iterate(intentry.quotes.list)) quotes.push(quote);
    expect(quotes.length).toBeGreaterThan(1);
    for (const { quote_hash, agent, token, facilitator, ...quote } of quotes) {
      const commitment = {
        ...{ agent, token, facilitator, merchantId: BigInt(quote.merchant_id), amount: BigInt(quote.amount) },
        ...{ serviceNumericId: BigInt(quote.service_numeric_id), paymentRail: quote.payment_rail },
        ...{ expiresAt: BigInt(quote.expires_at), paymentNonce: BigInt(quote.payment_nonce) },
        ...{ resourceHash: quote.resource_hash, termsHash: quote.terms_hash, x402PayloadHash: quote.x402_payload_hash },
      };
      expect(await intentry.quoteHash(commitment)).toBe(quote_hash);
    }
  });
});
