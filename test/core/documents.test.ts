import { count } from "drizzle-orm";
import fc from "fast-check";
import { keccak256, stringToBytes } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../api/core/context";
import { openStore } from "../../api/offchain/open";
import { document } from "../../api/offchain/tables";
import { runs } from "../support/seed";
import { type Gateway, openGatewayOnStore, post } from "./gateway-on-store";

const hashOf = (text: string) => keccak256(stringToBytes(text));

const kinds = [
  { path: "/catalogs", text: "catalog_json", hash: "catalog_hash" },
  { path: "/quote-requests", text: "quote_request_json", hash: "request_hash" },
  { path: "/quote-responses", text: "quote_response_json", hash: "response_hash" },
  {
    path: "/fulfillment-payloads",
    text: "fulfillment_payload_json",
    hash: "payload_hash",
    fields: { encryption: "ECDH-P256+HKDF-SHA256+A256GCM", merchant_key_id: "key-1" },
  },
  {
    path: "/fulfillment-evidence",
    text: "fulfillment_evidence_json",
    hash: "evidence_hash",
    fields: { evidence_type: "delivery" },
  },
] as const satisfies { path: string; text: string; hash: string; fields?: Record<string, string> }[];

/** The document routes on a real store. */
async function openDocuments() {
  const gateways = await openGatewayOnStore("documents");
  return {
    ...gateways,
    rows: async () => (await (await gateways.store()).select({ rows: count() }).from(document))[0]?.rows,
  };
}

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

/** JSON objects and arrays that change when parsed and serialized: whitespace, key order, duplicate keys, large numbers, escapes. */
const jsonText = fc.oneof(
  fc.json().map((text) => `[${text}]`),
  fc.json({ stringUnit: "binary" }).map((text) => `{"member": ${text}}`),
  fc
    .tuple(fc.json(), fc.constantFrom("", " ", "\n", "\t\r\n"))
    .map(([text, space]) => `${space}[${text}${space}]${space}\n`),
  fc.constantFrom(
    '{"a":1,"a":2}',
    '{"b":1,"a":1.0,"c":1e400,"d":123456789012345678901234567890}',
    '["\\u0000\\ud800 \\/ é é 🤖"]',
    '{"__proto__":{"x":1},"constructor":null}',
    "[1,\n 2]\n",
    `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  ),
);

describe("documents", () => {
  let documents: Awaited<ReturnType<typeof openDocuments>>;
  let gateway: Gateway;

  beforeAll(async () => {
    documents = await openDocuments();
    gateway = documents.serve();
  }, 60_000);
  afterAll(() => documents?.close());

  it.each(kinds)(
    "$path returns the same bytes for their hash, for any JSON object or array",
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(jsonText, async (text) => {
          const published = await post(gateway, kind.path, {
            [kind.text]: text,
            ...("fields" in kind ? kind.fields : {}),
          });
          expect(published.status).toBe(201);
          const answer = (await published.json()) as Record<string, unknown>;
          expect(answer).toMatchObject({
            [kind.hash]: hashOf(text),
            size_bytes: Buffer.byteLength(text),
            uri: `http://localhost${kind.path}/${hashOf(text)}`,
          });
          const fetched = await gateway.request(String(answer.uri));
          expect(fetched.status).toBe(200);
          expect(Buffer.from(await fetched.arrayBuffer()).equals(Buffer.from(text))).toBe(true);
        }),
        { numRuns: runs(60) },
      );
    },
    runs(120_000),
  );

  it("serves a document as immutable JSON", async () => {
    const text = '{"served": true}\n';
    await post(gateway, "/catalogs", { catalog_json: text });
    const response = await gateway.request(`/catalogs/${hashOf(text)}`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/json",
      "content-length": "17",
      etag: `"${hashOf(text)}"`,
      "cache-control": "public, max-age=31536000, immutable",
    });
    const again = await gateway.request(`/catalogs/0x${hashOf(text).slice(2).toUpperCase()}`, {
      headers: { "if-none-match": `"${hashOf(text)}"` },
    });
    expect(again.status).toBe(304);
  });

  it("stores one row for 50 concurrent publications", async () => {
    const before = await documents.rows();
    const body = { catalog_json: '{"at":"once"}' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(gateway, "/catalogs", body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await documents.rows()).toBe((before ?? 0) + 1);
  });

  it("attack: overwriting a catalog's merchant_id. A later publisher sets only empty fields", async () => {
    const catalog_json = '{"whose":"catalog"}';
    const read = async () => (await gateway.request(`/catalogs/${hashOf(catalog_json)}/metadata`)).json();
    await post(gateway, "/catalogs", { catalog_json, merchant_id: "7" });
    const first = (await read()) as Record<string, unknown>;
    expect(first).toMatchObject({ merchant_id: "7", service_id: null });
    const stranger = await post(gateway, "/catalogs", { catalog_json, merchant_id: "666", service_id: "weather" });
    expect(await stranger.json()).toMatchObject({ merchant_id: "7", service_id: "weather" });
    await post(gateway, "/catalogs", { catalog_json, merchant_id: "667", service_id: "theft" });
    const last = (await read()) as Record<string, unknown>;
    expect(last).toEqual({ ...first, service_id: "weather", updated_at: last.updated_at });
    expect(Date.parse(String(last.updated_at))).toBeGreaterThanOrEqual(Date.parse(String(first.created_at)));
  });

  it("reads omitted fields from the document, and ignores invalid ones there", async () => {
    const agent = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    const request = { request_id: "r1", merchant_id: 7, service_numeric_id: "-1", agent, quote: { service_id: "no" } };
    const requested = await post(gateway, "/quote-requests", { quote_request_json: JSON.stringify(request) });
    expect(await requested.json()).toMatchObject({
      request_id: "r1",
      merchant_id: "7",
      service_numeric_id: null,
      service_id: null,
      agent: agent.toLowerCase(),
    });
    const response = { request_id: "x".repeat(161), quote: { requestId: "r2", merchant_id: "8", merchantId: "9" } };
    const responded = await post(gateway, "/quote-responses", {
      quote_response_json: JSON.stringify(response),
      request_hash: `0x${"AB".repeat(32)}`,
      service_numeric_id: "3",
    });
    expect(await responded.json()).toMatchObject({
      request_hash: `0x${"ab".repeat(32)}`,
      request_id: "r2",
      merchant_id: "8",
      service_numeric_id: "3",
      agent: null,
    });
  });

  it("reads the quote's hash of a response from the body, the document or its quote", async () => {
    const [first, second] = [hashOf("one"), hashOf("two")];
    const publish = async (document: object, fields: object = {}) => {
      const body = { quote_response_json: JSON.stringify(document), ...fields };
      return (await (await post(gateway, "/quote-responses", body)).json()) as Record<string, unknown>;
    };
    expect(await publish({ quote_hash: first })).toMatchObject({ quote_hash: first });
    expect(await publish({ quote: { quoteHash: first } })).toMatchObject({ quote_hash: first });
    expect(await publish({ quote: { quote_hash: first }, id: 1 })).toMatchObject({ quote_hash: first });
    const published = await publish({ quote_hash: first, id: 2 }, { quote_hash: second });
    expect(published).toMatchObject({ quote_hash: second });
    const metadata = await gateway.request(`/quote-responses/${published.response_hash}/metadata`);
    expect(await metadata.json()).toMatchObject({ quote_hash: second });
    expect(await publish({ quote: {} })).toMatchObject({ quote_hash: null });
  });

  it("rejects a document whose schema names another kind, and accepts other identifiers", async () => {
    const own: Record<string, string[]> = {
      "/fulfillment-payloads": ["cortex.encrypted-fulfillment.v1", "cortex.fulfillment-payload.v1"],
      "/fulfillment-evidence": ["cortex.fulfillment-evidence.v1"],
    };
    const others = [...Object.values(own).flat(), "cortex.fulfillment-plaintext.v1", "cortex.settlement-plan.v1"];
    for (const kind of kinds) {
      const publish = async (schema: unknown) => {
        const fields = "fields" in kind ? kind.fields : {};
        const response = await post(gateway, kind.path, { [kind.text]: JSON.stringify({ schema }), ...fields });
        return [response.status, ((await response.json()) as { error?: string }).error];
      };
      for (const schema of others)
        expect(await publish(schema)).toEqual(
          own[kind.path]?.includes(schema)
            ? [201, undefined]
            : [400, expect.stringMatching(new RegExp(`^${kind.text}: its schema ${schema} names another kind`))],
        );
      for (const schema of ["shop.order.v1", "cortex.unheard-of.v1", "", null, 7, {}])
        expect(await publish(schema)).toEqual([201, undefined]);
    }
  });

  it("requires the encryption and the key of a payload, in the body or in the document", async () => {
    const envelope = {
      encryption: "ECDH-P256+HKDF-SHA256+A256GCM",
      merchant_key_id: "k".repeat(220),
      quote_hash: hashOf("quote"),
    };
    const fulfillment_payload_json = JSON.stringify({ ...envelope, ciphertext: "AAAA" });
    const inDocument = await post(gateway, "/fulfillment-payloads", { fulfillment_payload_json });
    expect([inDocument.status, await inDocument.json()]).toMatchObject([201, { ...envelope, merchant_id: null }]);
    const publish = (document: object, fields: object) =>
      post(gateway, "/fulfillment-payloads", { fulfillment_payload_json: JSON.stringify(document), ...fields });
    const inBody = await publish({ n: 1, encryption: 7 }, { encryption: "e".repeat(120), merchant_key_id: "k" });
    expect([inBody.status, await inBody.json()]).toMatchObject([201, { encryption: "e".repeat(120) }]);
    for (const [document, fields, problem] of [
      [
        { n: 2 },
        { encryption: "e", merchant_key_id: null },
        "merchant_key_id: is required, in the request or in the document",
      ],
      [
        { n: 2, encryption: "e".repeat(121), merchant_key_id: "k" },
        {},
        "encryption: is required, in the request or in the document",
      ],
      [
        { n: 2 },
        { encryption: "e", merchant_key_id: "k".repeat(221) },
        "merchant_key_id: must be a text of 1 to 220 characters, without NUL",
      ],
    ] as const) {
      const response = await publish(document, fields);
      expect([response.status, await response.json()]).toEqual([400, { error: problem, code: "invalid_input" }]);
    }
  });

  it("requires the type of evidence, which the document may call type", async () => {
    const publish = (document: object, fields: object = {}) =>
      post(gateway, "/fulfillment-evidence", { fulfillment_evidence_json: JSON.stringify(document), ...fields });
    const named = await publish({ type: "delivery", receipt_id: "4", payload_hash: hashOf("payload") });
    expect([named.status, await named.json()]).toMatchObject([
      201,
      { evidence_type: "delivery", receipt_id: "4", payload_hash: hashOf("payload"), quote_hash: null },
    ]);
    const both = await publish({ type: "delivery", evidence_type: "screenshot" });
    expect(await both.json()).toMatchObject({ evidence_type: "screenshot" });
    expect((await publish({ type: "t".repeat(81) })).status).toBe(400);
    expect((await publish({ type: "delivery" }, { evidence_type: "e".repeat(81) })).status).toBe(400);
    expect((await publish({}, { evidence_type: "delivery", receipt_id: "x" })).status).toBe(400);
  });

  it.each([
    ["null", null],
    ["an empty text", ""],
  ])("treats %s as absent in every optional field of a body", async (_, nothing) => {
    const body = { catalog_json: `{"with":"${nothing}"}`, merchant_id: nothing, service_id: nothing };
    const published = await post(gateway, "/catalogs", { ...body, expected_hash: nothing });
    expect([published.status, await published.json()]).toMatchObject([201, { merchant_id: null, service_id: null }]);
    const required = await post(gateway, "/catalogs", { catalog_json: "" });
    expect(required.status).toBe(400);
    const missing = await post(gateway, "/catalogs", { ...body, catalog_json: null });
    expect([missing.status, await missing.json()]).toEqual([
      400,
      { error: "catalog_json: is required", code: "invalid_input" },
    ]);
  });

  it("serves a route also with a trailing slash", async () => {
    const text = '{"with":"a slash"}';
    const published = await post(gateway, "/catalogs/", { catalog_json: text });
    expect(published.status).toBe(201);
    for (const path of [`/catalogs/${hashOf(text)}`, `/catalogs/${hashOf(text)}/`])
      expect(await (await gateway.request(path)).text()).toBe(text);
    const refused = await gateway.request("/catalogs/");
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  it("rejects a hash that differs from expected_hash with 409, and stores nothing", async () => {
    const catalog_json = '{"expected":"otherwise"}';
    const refused = await post(gateway, "/catalogs", { catalog_json, expected_hash: hashOf("other") });
    expect(refused.status).toBe(409);
    expect((await gateway.request(`/catalogs/${hashOf(catalog_json)}`)).status).toBe(404);
    const accepted = await post(gateway, "/catalogs", { catalog_json, expected_hash: hashOf(catalog_json) });
    expect(accepted.status).toBe(201);
  });

  it.each<[string, Record<string, unknown>, number, RegExp]>([
    ["no text", {}, 400, /^catalog_json: is required/],
    ["a text that is not JSON", { catalog_json: "{" }, 400, /^catalog_json: is not valid JSON/],
    ["a text that is not a string", { catalog_json: { a: 1 } }, 400, /^catalog_json: must be a string/],
    ["half a surrogate pair", { catalog_json: '["\ud800"]' }, 400, /^catalog_json: .*surrogate/],
    ["a malformed hash", { catalog_json: "[]", expected_hash: "0x1" }, 400, /^expected_hash: must be a hash/],
    ["a malformed id", { catalog_json: "[]", merchant_id: "-1" }, 400, /^merchant_id: /],
    ["an id with a fraction", { catalog_json: "[]", merchant_id: 1.5 }, 400, /^merchant_id: .*send it as a string$/],
    ["an id above 2^53", { catalog_json: "[]", merchant_id: 2 ** 53 }, 400, /^merchant_id: .*send it as a string$/],
    ["a number", { catalog_json: "1" }, 400, /^catalog_json: must be a JSON object or array$/],
    ["a text in quotes", { catalog_json: '"text"' }, 400, /^catalog_json: must be a JSON object or array$/],
    ["null as a document", { catalog_json: "null" }, 400, /^catalog_json: must be a JSON object or array$/],
    [
      "an unknown name",
      { catalog_json: "[]", merchantId: "1" },
      400,
      /^merchantId: unknown; did you mean merchant_id\?$/,
    ],
    ["NUL that is not escaped", { catalog_json: '["\0"]' }, 400, /^catalog_json: is not valid JSON/],
    ["too long a name", { catalog_json: "[]", service_id: "x".repeat(161) }, 400, /^service_id: /],
    ["a name with NUL", { catalog_json: "[]", service_id: "a\0b" }, 400, /^service_id: /],
    [
      "a document over 128 KiB",
      { catalog_json: `["${"x".repeat(131_069)}"]` },
      413,
      /^catalog_json: must have at most/,
    ],
    ["only brackets", { catalog_json: "[".repeat(100_000) }, 400, /^catalog_json: is not valid JSON/],
  ])("rejects %s", async (_, body, status, message) => {
    const response = await post(gateway, "/catalogs", body);
    expect([response.status, await response.json()]).toEqual([
      status,
      { error: expect.stringMatching(message), code: status === 413 ? "too_large" : "invalid_input" },
    ]);
  });

  it.each<[string, string | Blob | Uint8Array<ArrayBuffer>, string | undefined, number, RegExp]>([
    ["not JSON", "catalog_json=1", "application/json", 400, /^body: /],
    ["of another content type", '{"catalog_json":"1"}', "text/plain", 400, /content-type/],
    ["without a content type", new Blob(['{"catalog_json":"1"}']), undefined, 400, /content-type/],
    ["an array", '[{"catalog_json":"1"}]', "application/json", 400, /^body: must be a JSON object/],
    ["only NUL", "\0\0", "application/json", 400, /^body: /],
    ["not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), "application/json", 400, /^body: is not valid UTF-8$/],
    [
      "a document that is not UTF-8",
      latin1('{"catalog_json":"\\"caf\xe9\\""}'),
      "application/json",
      400,
      /^body: is not valid UTF-8$/,
    ],
    ["brackets 100,000 deep", "[".repeat(1e5) + "]".repeat(1e5), "application/json", 400, /^body: /],
    [
      "an object with the text in __proto__",
      '{"__proto__":{"catalog_json":"1"}}',
      "application/json",
      400,
      /^__proto__: unknown; /,
    ],
    ["a string of 1 MB", `{"catalog_json":"\\"${"x".repeat(1e6)}\\""}`, "application/json", 413, /^body: /],
    ["a key of 1 MB", `{"${"x".repeat(1e6)}":1}`, "application/json", 413, /^body: /],
  ])("rejects a body that is %s", async (_, body, type, status, message) => {
    const before = await documents.rows();
    const headers = type === undefined ? undefined : { "content-type": type };
    const response = await gateway.request("/catalogs", { method: "POST", body, headers });
    expect([response.status, await response.json()]).toEqual([
      status,
      { error: expect.stringMatching(message), code: status === 413 ? "too_large" : "invalid_input" },
    ]);
    expect(await documents.rows()).toBe(before);
  });

  it("counts characters, not UTF-16 code units", async () => {
    const named = (service_id: string) => post(gateway, "/catalogs", { catalog_json: '{"named":1}', service_id });
    expect((await named("🤖".repeat(160))).status).toBe(201);
    expect((await named("🤖".repeat(161))).status).toBe(400);
  });

  it("validates the body also if all its fields are optional", async () => {
    const select = (body: string) =>
      documents.serve({ devHelpers: true }).request("/bids/1-1/select", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
    expect((await select("garbage{")).status).toBe(400);
    expect((await select(`"${"x".repeat(300_000)}"`)).status).toBe(413);
  });

  it("returns 405 for another method on a literal path, also if a path with parameters matches", async () => {
    const response = await gateway.request("/intents/metadata");
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  it("rejects development helpers before it validates the input", async () => {
    const elsewhere = documents.serve({ devHelpers: false, writesPerMinute: 5 });
    const refused = await post(elsewhere, "/intents/5/bids", {});
    expect([refused.status, refused.headers.has("ratelimit")]).toEqual([403, false]);
  });

  it("accepts hashes in upper case, and returns them in lower case", async () => {
    const catalog_json = '{"hash":"in upper case"}';
    const upper = `0x${hashOf(catalog_json).slice(2).toUpperCase()}`;
    const published = await post(gateway, "/catalogs", { catalog_json, expected_hash: upper });
    expect([published.status, await published.json()]).toMatchObject([201, { catalog_hash: hashOf(catalog_json) }]);
    expect(await (await gateway.request(`/catalogs/${upper}`)).text()).toBe(catalog_json);
  });

  it("returns 404 for an unknown document, and for a document of another kind", async () => {
    const text = '{"only":"a catalog"}';
    await post(gateway, "/catalogs", { catalog_json: text });
    for (const path of [`/quote-requests/${hashOf(text)}`, `/quote-responses/${hashOf(text)}/metadata`])
      expect((await gateway.request(path)).status).toBe(404);
  });

  it("uses PUBLIC_BASE_URL in URLs, and forwarding headers only from a trusted proxy", async () => {
    const forwarded = { "x-forwarded-host": "evil.example, api.example", "x-forwarded-proto": "https" };
    const uriOf = async (change: Partial<Config>) => {
      const response = await post(documents.serve(change), "/catalogs", { catalog_json: "{}" }, forwarded);
      const { uri } = (await response.json()) as { uri: string };
      return new URL(uri).origin;
    };
    expect(await uriOf({})).toBe("http://localhost");
    expect(await uriOf({ trustProxy: true })).toBe("https://api.example");
    for (const [header, value] of [
      ["x-forwarded-host", 'evil.example/"><script>'],
      ["x-forwarded-host", "user@evil.example"],
      ["x-forwarded-proto", "javascript"],
    ] as const) {
      const proxied = documents.serve({ trustProxy: true });
      const response = await post(proxied, "/catalogs", { catalog_json: "{}" }, { [header]: value });
      expect(await response.json()).toMatchObject({ uri: `http://localhost/catalogs/${hashOf("{}")}` });
    }
    expect(await uriOf({ trustProxy: true, publicBaseUrl: "https://intentry.example" })).toBe(
      "https://intentry.example",
    );
  });

  it("limits a client's writes across processes, with Retry-After", async () => {
    const limited = [
      documents.serve({ writesPerMinute: 5, trustProxy: true }),
      documents.serve({ writesPerMinute: 5, trustProxy: true }),
    ];
    const from = (client: string) => ({ "x-forwarded-for": client });
    const send = (place: number, client: string) =>
      post(limited[place % 2] as Gateway, "/catalogs", { catalog_json: `[${place}]` }, from(client));
    const answers = await Promise.all(Array.from({ length: 12 }, (_, place) => send(place, "192.0.2.1")));
    // A new minute may start in between, which allows a few more.
    expect(answers.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(10);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(refused?.headers.get("ratelimit")).toMatch(/^limit=5, remaining=0, reset=\d+$/);
    const conflict = { catalog_json: "{}", expected_hash: hashOf("other") };
    const failed = await post(limited[0] as Gateway, "/catalogs", conflict, from("192.0.2.3"));
    expect([failed.status, failed.headers.get("ratelimit")]).toEqual([409, expect.stringMatching(/remaining=4/)]);
    const other = await send(0, "192.0.2.2");
    expect([other.status, other.headers.get("ratelimit")]).toEqual([
      201,
      expect.stringMatching(/^limit=5, remaining=4/),
    ]);
  });

  it("limits the bytes of new documents per day, but not publishing the same one again", async () => {
    const full = documents.serve({ storedBytesPerDay: 100, trustProxy: true });
    const headers = { "x-forwarded-for": "192.0.2.9" };
    const publish = (text: string) => post(full, "/catalogs", { catalog_json: JSON.stringify([text]) }, headers);
    expect((await publish("a".repeat(60))).status).toBe(201);
    const tooMuch = await publish("b".repeat(60));
    expect([tooMuch.status, tooMuch.headers.has("ratelimit")]).toEqual([429, false]);
    expect(tooMuch.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await publish("a".repeat(60))).status).toBe(201);
    expect((await publish("c".repeat(20))).status).toBe(201);
  });

  it("rejects writes without a token if tokens are configured", async () => {
    const guarded = documents.serve({ writeTokens: ["a-token-of-ours-1234", "another-token-56789"] });
    const withToken = (authorization?: string) =>
      post(guarded, "/catalogs", { catalog_json: "{}" }, authorization ? { authorization } : {});
    for (const header of [undefined, "Bearer", "Bearer a-token-of-ours-123", "Basic a-token-of-ours-1234"]) {
      const refused = await withToken(header);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
    const unread = await guarded.request("/catalogs", { method: "POST", body: "{bad" });
    expect(unread.status).toBe(401);
    expect((await withToken("Bearer another-token-56789")).status).toBe(201);
    expect((await guarded.request(`/catalogs/${hashOf("{}")}`)).status).toBe(200);
  });

  it("can be opened by many processes concurrently", async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(documents.options)));
    await Promise.all(stores.map((store) => store.close()));
  });
});
