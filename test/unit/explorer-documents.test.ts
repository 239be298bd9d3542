import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentOf } from "../../explorer/document-content";
import { readEvidence } from "../../explorer/evidence";
import type { Reads } from "../../explorer/reads";

const read = (document: unknown) => contentOf(JSON.stringify(document));

const TOKEN = `0x${"a5".repeat(20)}`;

describe("the content of a document on a page", () => {
  it("is the name, the description and the tags", () => {
    expect(read({ name: "Lastmile Post", description: "Postage.", tags: ["post", "post", 7, {}] })).toMatchObject({
      name: "Lastmile Post",
      description: "Postage.",
      tags: ["post", "7"],
      items: [],
      others: [],
    });
  });

  it("is a price list, with prices in a currency that the document names", () => {
    const items = [
      { service_id: "label", name: "Label", price: { amount: "7.30", currency: "tUSD" }, unit: "label" },
      { id: "tracking", title: "Tracking", price: 0.25 },
      { name: "By request", price: "on request" },
    ];
    expect(read({ currency: "EUR", services: items })?.items).toEqual([
      {
        ...{ id: "label", name: "Label", description: null, quantity: null, unit: "label" },
        price: { amount: "7.30", currency: "tUSD", token: null },
      },
      {
        ...{ id: "tracking", name: "Tracking", description: null, quantity: null, unit: null },
        price: { amount: "0.25", currency: "EUR", token: null },
      },
      { id: null, name: "By request", description: null, quantity: null, unit: null, price: null },
    ]);
  });

  it("takes a whole number as the smallest unit of a token that the document names, and no other number", () => {
    const priced = (amount: string) => read({ token: TOKEN, items: [{ amount }] })?.items[0]?.price;
    expect(priced("4800000")).toEqual({ amount: "4800000", currency: null, token: TOKEN });
    expect(priced("4.8")).toEqual({ amount: "4.8", currency: null, token: null });
    expect(priced("-1")).toBeNull();
  });

  it("is the offer of a quote response, in snake_case and camelCase", () => {
    const offer = {
      merchant_id: "4",
      service_numeric_id: "6",
      agent: TOKEN,
      price: { amount: "72000000", currency: null, token: TOKEN },
      payment_rail: "transfer",
      expires_at: "1795123599",
    };
    const quote = { ...offer, price: undefined, amount: "72000000", token: TOKEN.toUpperCase().replace("0X", "0x") };
    expect(read({ quote })?.offer).toEqual(offer);
    expect(read({ quote: { merchantId: 4, serviceNumericId: "6", agent: "bob", expiresAt: "soon" } })?.offer).toEqual({
      ...{ merchant_id: "4", service_numeric_id: "6", agent: null, price: null, payment_rail: null, expires_at: null },
    });
  });

  it("has all other fields in lines, one level deep", () => {
    const document = {
      type: "delivery",
      details: { result: "0x12", deep: { er: 1 } },
      rails: ["a", "b"],
      nothing: null,
    };
    expect(read(document)?.others).toEqual([
      { name: "type", value: "delivery" },
      { name: "details.result", value: "0x12" },
      { name: "rails", value: "a, b" },
    ]);
  });

  it("is limited: items, fields and the length of texts", () => {
    const content = read({
      description: "long ".repeat(1_000),
      items: Array.from({ length: 1_000 }, (_, id) => ({ id })),
      ...Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field ${index}`, index])),
    });
    expect(content?.items).toHaveLength(100);
    expect(content?.hiddenItems).toBe(900);
    expect(content?.others).toHaveLength(40);
    expect(content?.description).toHaveLength(501);
  });

  it("never fails, whatever the JSON", () => {
    expect(contentOf("[]")).toBeUndefined();
    expect(contentOf('"text"')).toBeUndefined();
    const names = [
      "name",
      "tags",
      "price",
      "services",
      "items",
      "quote",
      "amount",
      "token",
      "__proto__",
      "description",
    ];
    const objects = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 2 }));
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), objects, fc.array(objects, { maxLength: 3 }));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (document) => {
        expect(read(document)).toBeDefined();
      }),
    );
  });
});

describe("the evidence of a record", () => {
  const hash = `0x${"e".repeat(64)}`;
  const clientOf = (text: string) =>
    ({
      search: { find: { query: async () => ({ matches: [{ type: "fulfillment-evidence", id: hash, name: null }] }) } },
      documents: { getFulfillmentEvidence: { query: async () => text } },
    }) as unknown as Reads;
  const unexpected = (error: unknown) => {
    throw error;
  };
  const readText = (text: string) => readEvidence(clientOf(text), hash, unexpected);

  it("is what it says in words, or its first characters", async () => {
    const text = JSON.stringify({ type: "complaint", statement: "It came late." });
    const found = { kind: "fulfillment-evidence", hash, text, isCut: false, statement: "It came late." };
    expect(await readText(text)).toEqual(found);
    const long = JSON.stringify({ result: "x".repeat(1_000) });
    expect(await readText(long)).toMatchObject({ text: long.slice(0, 600), isCut: true, statement: null });
    expect(await readText("[1]")).toMatchObject({ text: "[1]", isCut: false, statement: null });
  });
});
