import { keccak256, stringToBytes } from "viem";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { commerceRegistryAbi } from "../../abis/index";
import { createIntentryClient } from "../../client/src/index";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { type Stack, startStack } from "../support/stack";

type Result = {
  type: string;
  id: string;
  name: string | null;
  metadata_state: string;
  fulfilled: string;
  disputes: string;
  price: string | null;
  score: string;
};
type Answer = { results: Result[]; pagination: { next_cursor: string | null; count: number; total?: number } };

const merchantOwner = actor(6);
const buyer = actor(1);
const notary = actor(4);
const facilitator = actor(5);
const REGISTRY = "CommerceRegistry";

const dataUri = (content: object) => `data:application/json,${encodeURIComponent(JSON.stringify(content))}`;

/** Translation services, with the price of their sales, and whether these are fulfilled and disputed. */
const translators = [
  { name: "Lingua", price: 300n, isFulfilled: true, isDisputed: false },
  { name: "Babel", price: 100n, isFulfilled: true, isDisputed: true },
  { name: "Polyglot", price: 200n, isFulfilled: true, isDisputed: false },
  { name: "Untested", price: null, isFulfilled: false, isDisputed: false },
];

describe("a search", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
    const { write, read, client, contracts } = stack;
    await write(merchantOwner, REGISTRY, "registerMerchant", [
      merchantOwner.address,
      dataUri({ name: "Tongues", description: "Language services", tags: ["translation"] }),
      `0x${"0".repeat(64)}`,
    ]);
    const { timestamp } = await client.getBlock();
    for (const [index, { name, price, isFulfilled, isDisputed }] of translators.entries()) {
      const serviceNumericId = BigInt(index + 1);
      await write(merchantOwner, REGISTRY, "registerService", [
        1n,
        `translate-${name.toLowerCase()}`,
        dataUri({ name, description: "Translates documents into any language.", capabilities: ["translate"] }),
        `0x${"0".repeat(64)}`,
        hashOf("translate"),
      ]);
      if (price === null) continue;
      const quote = {
        merchantId: 1n,
        serviceNumericId,
        agent: buyer.address,
        token: contracts.TestDollar,
        facilitator: facilitator.address,
        amount: price,
        paymentRail: 0,
        expiresAt: timestamp + 86_400n,
        paymentNonce: serviceNumericId,
        resourceHash: hashOf("resource"),
        termsHash: hashOf("terms"),
        x402PayloadHash: `0x${"0".repeat(64)}`,
      } as const;
      await write(merchantOwner, REGISTRY, "commitQuote", [quote]);
      await write(buyer, REGISTRY, "recordReceipt", [
        await read(REGISTRY, "computeQuoteHash", [quote]),
        hashOf("paid"),
      ]);
      const receipts = await client.getContractEvents({
        abi: commerceRegistryAbi,
        address: contracts.CommerceRegistry,
        eventName: "ReceiptRecorded",
        fromBlock: 0n,
        strict: true,
      });
      const receiptId = receipts.at(-1)?.args.receiptId ?? 0n;
      if (isFulfilled) await write(merchantOwner, REGISTRY, "recordFulfillment", [receiptId, hashOf("done")]);
      if (isDisputed) await write(buyer, REGISTRY, "openDispute", [receiptId, hashOf("wrong words")]);
    }
    await write(merchantOwner, REGISTRY, "registerService", [
      1n,
      "off",
      dataUri({ name: "Retired", description: "Translates no more." }),
      `0x${"0".repeat(64)}`,
      hashOf("nothing"),
    ]);
    await write(merchantOwner, REGISTRY, "updateService", [
      5n,
      dataUri({ name: "Retired", description: "Translates no more." }),
      `0x${"0".repeat(64)}`,
      hashOf("nothing"),
      false,
    ]);
    const content = (name: string) => [dataUri({ name }), `0x${"0".repeat(64)}`] as const;
    await write(facilitator, REGISTRY, "registerFacilitator", [facilitator.address, ...content("Rail")]);
    await write(notary, "AttestorRegistry", "registerAttestor", content("Notary"));
    await write(actor(7), "AttestorRegistry", "registerAttestor", content("Translate"));
    await write(notary, "AttestationRegistry", "submitAttestation", [hashOf("a"), hashOf("b"), hashOf("c")]);
    for (const number of [1, 2, 3])
      await write(actor(number), "AgentRegistry", "registerAgent", [
        dataUri({ name: `Agent ${number}`, tags: ["the", "helper"] }),
        "0x04",
        hashOf(`capability ${number}`),
      ]);
    await write(
      actor(3),
      "SolverRegistry",
      "registerSolver",
      [dataUri({ name: "<script>alert(1)</script>", description: "a\u0000b" }), hashOf("swap")],
      1n,
    );
    await stack.indexed();
    const state = async () => (await search({ type: "solver" })).results[0]?.metadata_state;
    await vi.waitUntil(async () => (await state()) === "unverified", { timeout: 30_000, interval: 100 });
  }, 180_000);
  afterAll(() => stack?.stop());

  const ask = (parameters: Record<string, string>) =>
    fetch(`${stack.apiUrl}/search?${new URLSearchParams(parameters)}`);

  async function search(parameters: Record<string, string>): Promise<Answer> {
    const response = await ask(parameters);
    const body = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${body}`);
    return JSON.parse(body) as Answer;
  }

  const namesFor = async (parameters: Record<string, string>) =>
    (await search(parameters)).results.map(({ name }) => name);

  it("finds the cheapest service that translates and has no disputes, in one call", async () => {
    expect(await namesFor({ q: "translates", type: "service", sort: "price", no_disputes: "true" })).toEqual([
      "Polyglot",
      "Lingua",
      "Untested",
      "Retired",
    ]);
    const client = createIntentryClient({ url: stack.apiUrl });
    const { results } = await client.search.find.query({
      q: "translate",
      type: "service",
      sort: "price",
      no_disputes: true,
      min_fulfilled: "1",
      limit: 1,
    });
    expect(results[0]).toMatchObject({
      name: "Polyglot",
      price: "200",
      fulfilled: "1",
      disputes: "0",
      merchant_id: "1",
    });
    const body = { q: "translation", type: "service", sort: "price", no_disputes: "true" };
    const called = await fetch(`${stack.apiUrl}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "search_find", arguments: body },
      }),
    });
    expect(await called.text()).toContain("Polyglot");
  });

  it("ranks by text first, then by record: disputes lower a record, and inactive ones come last", async () => {
    const names = await namesFor({ q: "translate", type: "service" });
    expect(names.slice(0, 2).sort()).toEqual(["Lingua", "Polyglot"]);
    expect(names.at(-1)).toBe("Retired");
    expect(names.indexOf("Babel")).toBeGreaterThan(names.indexOf("Lingua"));
    // A name is a better match than a description.
    expect((await namesFor({ q: "babel" }))[0]).toBe("Babel");
    const [first] = (await search({ q: "Lingua" })).results;
    expect(Number(first?.score)).toBeGreaterThan(1);
  });

  it.each<[string, Record<string, string>, (string | null)[]]>([
    ["type", { q: "translation", type: "merchant" }, ["Tongues"]],
    ["active", { q: "translates", active: "false" }, ["Retired"]],
    ["capability_hash", { q: "translates", capability_hash: hashOf("nothing") }, ["Retired"]],
    ["capability_hash alone", { capability_hash: hashOf("nothing") }, ["Retired"]],
    ["min_fulfilled", { type: "merchant", min_fulfilled: "3" }, ["Tongues"]],
    ["min_fulfilled of too many", { type: "merchant", min_fulfilled: "4" }, []],
    ["min_fulfilled of a facilitator", { type: "facilitator", min_fulfilled: "3" }, ["Rail"]],
    ["too many for a facilitator", { type: "facilitator", min_fulfilled: "4" }, []],
    ["min_fulfilled of an attestor", { type: "attestor", min_fulfilled: "1" }, ["Notary"]],
    ["min_fulfilled of an agent", { type: "agent", min_fulfilled: "1" }, []],
    ["max_price", { q: "translates", type: "service", max_price: "100" }, ["Babel"]],
    ["an enormous min_fulfilled", { q: "translates", min_fulfilled: String(2n ** 256n - 1n) }, []],
    ["a quoted phrase", { q: '"language services"' }, ["Tongues"]],
    ["two alternatives", { q: "lingua OR polyglot", sort: "price", type: "service" }, ["Polyglot", "Lingua"]],
  ])("filters by %s", async (_, parameters, names) => {
    expect(await namesFor(parameters)).toEqual(names);
  });

  it("filters by the token of the price", async () => {
    const parameters = { q: "translates", type: "service", sort: "price" };
    expect(await namesFor({ ...parameters, token: stack.contracts.TestDollar.toLowerCase() })).toEqual([
      "Babel",
      "Polyglot",
      "Lingua",
    ]);
    expect(await namesFor({ ...parameters, token: `0x${"0".repeat(40)}` })).toEqual([]);
  });

  it("finds records by id, address and hash, in full or by the first digits", async () => {
    const found = async (q: string) => (await search({ q })).results.map(({ type, id }) => `${type} ${id}`);
    expect((await found("2")).slice(0, 3).sort()).toEqual(["agent 2", "attestor 2", "service 2"]);
    const owner = actor(2).address;
    expect(await found(owner)).toEqual(["agent 2"]);
    expect(await found(owner.toUpperCase().replace("0X", "0x"))).toEqual(["agent 2"]);
    expect(await found(owner.slice(0, 8))).toEqual(["agent 2"]);
    expect(await found(hashOf("capability 3"))).toEqual(["agent 3"]);
    expect(await found(hashOf("capability 3").slice(0, 12))).toEqual(["agent 3"]);
    expect(await found(`0x${"12".repeat(32)}`)).toEqual([]);
  });

  it("identifies records by kind and id, tokens by symbol and name, and hashes", async () => {
    const matches = async (q: string) =>
      ((await (await ask({ q })).json()) as { matches: { type: string; id: string; name: string | null }[] }).matches;
    for (const q of ["solver 1", "Solver #1", "SOLVERS 1", "solver-1", "solver1"])
      expect(await matches(q)).toEqual([{ type: "solver", id: "1", name: null }]);
    for (const kind of ["agent", "attestor", "merchant", "service", "facilitator", "receipt", "dispute", "attestation"])
      expect(await matches(`${kind} 1`)).toEqual([{ type: kind, id: "1", name: null }]);
    expect(await matches("intent 5")).toEqual([]);
    for (const q of ["4", "#4"]) expect((await matches(q)).map(({ type }) => type)).toEqual(["service"]);

    const token = stack.contracts.TestDollar.toLowerCase();
    const { symbol, name } = (await (await fetch(`${stack.apiUrl}/tokens/${token}`)).json()) as Record<string, string>;
    for (const q of [symbol ?? "", (symbol ?? "").toUpperCase(), name ?? ""])
      expect(await matches(q)).toEqual([{ type: "token", id: token, name: symbol }]);

    const { quotes } = (await (await fetch(`${stack.apiUrl}/quotes`)).json()) as { quotes: { quote_hash: string }[] };
    const quoteHash = quotes[0]?.quote_hash ?? "";
    expect(await matches(quoteHash)).toEqual([{ type: "quote", id: quoteHash, name: null }]);
    expect(await matches(hashOf("b"))).toEqual([{ type: "attestation", id: "1", name: null }]);
    // A schema that is used on chain, and was not published.
    expect(await matches(hashOf("a"))).toEqual([{ type: "schema", id: hashOf("a"), name: null }]);
    const builtin = keccak256(stringToBytes("solver_reputation"));
    for (const q of ["solver_reputation", "SOLVER_REPUTATION", builtin, `0x${"11".repeat(32)}`])
      expect(await matches(q)).toEqual([{ type: "schema", id: builtin, name: "solver_reputation" }]);
    expect(await matches(`0x${"9".repeat(64)}`)).toEqual([]);
    const filtered = (await (await ask({ q: "solver 1", type: "solver" })).json()) as { matches: unknown[] };
    expect(filtered.matches).toEqual([]);
  });

  it("ranks a record with the text as its name first, whatever its record", async () => {
    // The services that translate have fulfilled receipts, and the attestor of this name has done nothing.
    for (const q of ["translate", "TRANSLATE"]) {
      const [first, ...others] = await namesFor({ q });
      expect(first).toBe("Translate");
      expect(others).toEqual(expect.arrayContaining(["Lingua", "Polyglot", "Babel"]));
    }
    // Babel has a dispute.
    expect((await namesFor({ q: "babel" }))[0]).toBe("Babel");
    expect((await namesFor({ q: "Agent 2" }))[0]).toBe("Agent 2");
    expect((await namesFor({ q: "untested" }))[0]).toBe("Untested");
  });

  it("finds words whose last one is incomplete, from three letters", async () => {
    for (const q of ["pol", "Poly", "polyglo", "language serv"])
      expect(await namesFor({ q })).toContain(q.startsWith("language") ? "Tongues" : "Polyglot");
    // A shorter or an earlier word is whole, and so is the last one of a text with operators.
    for (const q of ["po", "polyg translate", "lingua OR polyg", '"polyg"', "-polyg", "polyg:", "polyg*"])
      expect(await namesFor({ q })).not.toContain("Polyglot");
    expect(await namesFor({ q: "polyglot" })).toEqual(["Polyglot"]);
    // The index has the types of records as words, such as "subject:agent".
    expect(await namesFor({ q: "subj" })).toEqual([]);
  });

  it("finds a service by its name on chain", async () => {
    expect(await namesFor({ q: "translate-lingua" })).toEqual(["Lingua"]);
  });

  it("without a text lists all records of a type, by id, in pages", async () => {
    const all = await search({ type: "agent", total: "true" });
    expect(all.results.map(({ id }) => id)).toEqual(["1", "2", "3"]);
    expect(all.pagination.total).toBe(3);
    const first = await search({ type: "agent", limit: "2" });
    expect(first.results).toEqual(all.results.slice(0, 2));
    const second = await search({ type: "agent", limit: "2", cursor: first.pagination.next_cursor ?? "" });
    expect(second.results).toEqual(all.results.slice(2));
    expect((await search({ type: "agent", limit: "2", offset: "1" })).results).toEqual(all.results.slice(1));
    expect((await search({ type: "agent", active: "false" })).results).toEqual([]);
  });

  it.each<Record<string, string>>([
    { q: "translates" },
    { q: "translates", type: "service", sort: "price" },
    { capability_hash: hashOf("translate") },
  ])("has the same results in pages of two: %j", async (parameters) => {
    const all = await search({ ...parameters, total: "true" });
    expect(all.pagination.total).toBe(all.results.length);
    const paged: Result[] = [];
    let cursor: string | null = null;
    do {
      const page: Answer = await search({ ...parameters, limit: "2", ...(cursor && { cursor }) });
      paged.push(...page.results);
      cursor = page.pagination.next_cursor;
    } while (cursor !== null);
    expect(paged).toEqual(all.results);
    expect((await search({ ...parameters, limit: "2", offset: "2" })).results).toEqual(all.results.slice(2, 4));
  });

  it("lists the records of all types that have fulfilled enough", async () => {
    const { results } = await search({ min_fulfilled: "1" });
    expect(results.map(({ type, id }) => `${type} ${id}`).sort()).toEqual(
      ["attestor 1", "facilitator 1", "merchant 1", "service 1", "service 2", "service 3"].sort(),
    );
  });

  const names = (records: string) => fetch(`${stack.apiUrl}/names?${new URLSearchParams({ records })}`);

  it("reads the names of many records at once, without those that have none", async () => {
    const response = await names("service-2,merchant-1,service-2,Facilitator-001,merchant-99,attestor-1, agent-3");
    const metadata_state = "unverified";
    expect(await response.json()).toEqual({
      names: [
        { type: "agent", id: "3", name: "Agent 3", metadata_state },
        { type: "attestor", id: "1", name: "Notary", metadata_state },
        { type: "facilitator", id: "1", name: "Rail", metadata_state },
        { type: "merchant", id: "1", name: "Tongues", metadata_state },
        { type: "service", id: "2", name: "Babel", metadata_state },
      ],
    });
    const client = createIntentryClient({ url: stack.apiUrl });
    const { names: found } = await client.search.names.query({ records: "solver-1,merchant-1" });
    expect(found.map(({ name }) => name)).toEqual(["Tongues", "<script>alert(1)</script>"]);
    expect((await names(Array(200).fill("agent-1").join())).status).toBe(200);
  });

  it.each([
    "merchant",
    "merchant-",
    "merchant-x",
    "bid-1",
    "merchant-1,",
    "merchant-1-2",
    Array(201).fill("agent-1").join(),
  ])("rejects the names of %.20s", async (records) => {
    const response = await names(records);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("records: must be 1 to 200 records as <type>-<id>");
  });

  it("shows scripts as text, without NUL", async () => {
    const { results } = await search({ q: "<script>alert" });
    expect(results).toMatchObject([{ type: "solver", name: "<script>alert(1)</script>", description: "a b" }]);
  });

  it.each([
    "' OR 1=1 --",
    "& | ! ( ) : * <-> \\",
    "a:* & !b",
    "'unclosed",
    '"unclosed',
    "-translates",
    "- - -",
    "the of and",
    "%",
    "\\",
    "🙂".repeat(50),
    "a".repeat(200),
    "() ".repeat(60),
    "1".repeat(79),
    "0x",
    "0x12",
    `0x${"a".repeat(65)}`,
    "$1 {{y}}",
  ])("answers a hostile text with 200: %.40s", async (q) => {
    const response = await ask({ q });
    expect(response.status, await response.clone().text()).toBe(200);
  });

  it("does not list everything for a negation or stop words", async () => {
    expect(await namesFor({ q: "-nothing" })).toEqual(await namesFor({ q: "nothing" }));
    expect(await namesFor({ q: "of and", type: "service" })).toEqual([]);
    expect(await namesFor({ q: "!!!", type: "service" })).toEqual([]);
  });

  it.each<[Record<string, string>, string]>([
    [{}, "q: is required, or a type, a capability_hash or min_fulfilled"],
    [{ q: " " }, "q: is required, or a type, a capability_hash or min_fulfilled"],
    [{ q: "" }, "q: is empty"],
    [{ q: "a".repeat(201) }, "q: must be a text of at most 200 characters, without NUL"],
    [{ q: "a\0b" }, "q: must be a text of at most 200 characters, without NUL"],
    [{ q: "a", type: "bid" }, "type: must be one of agent, merchant, service, facilitator, solver, attestor"],
    [
      { q: "a", sort: "price" },
      "type: must be service with max_price, token or sort=price, because only services have prices",
    ],
    [
      { type: "merchant", no_disputes: "true" },
      "q: is required with no_disputes, max_price, token or sort=price, or a capability_hash or min_fulfilled",
    ],
    [{ q: "a", min_fulfilled: "-1" }, "min_fulfilled: must be a whole number from 0 to 2^256 - 1 in decimal digits"],
    [{ q: "a", cursor: "AAAA" }, "cursor: is not valid for this list with these filters; start again without a cursor"],
  ])("rejects %j", async (parameters, error) => {
    const response = await ask(parameters);
    expect([response.status, await response.json()]).toEqual([400, { error, code: "invalid_input" }]);
  });

  it("rejects a cursor of another search", async () => {
    const { pagination } = await search({ q: "translates", limit: "1" });
    const response = await ask({ q: "lingua", limit: "1", cursor: pagination.next_cursor ?? "" });
    expect(response.status).toBe(400);
  });
});
