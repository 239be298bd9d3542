import { describe, expect, it } from "vitest";
import { boundsProblem } from "../../api/json-schema/bounds";
import { createJsonSchemaChecker } from "../../api/json-schema/checker";

const drafts = [
  "http://json-schema.org/draft-06/schema#",
  "http://json-schema.org/draft-07/schema#",
  "https://json-schema.org/draft/2019-09/schema",
  "https://json-schema.org/draft/2020-12/schema",
];

const objects = (count: number) => Array.from({ length: count }, (_, a) => ({ a }));

describe("the bounds of a schema", () => {
  it("allow an enum of 1,000 items, at any depth", () => {
    const withEnum = (count: number) => ({ properties: { a: { items: [{ enum: objects(count) }] } } });
    expect(boundsProblem(withEnum(1_000))).toBeNull();
    expect(boundsProblem(withEnum(1_001))).toBe("must have at most 1000 items in an enum");
    expect(boundsProblem({ enum: objects(11_500) })).toBe("must have at most 1000 items in an enum");
  });

  it("allow 10,000 values", () => {
    expect(boundsProblem({ examples: Array(9_999).fill(1) })).toBeNull();
    expect(boundsProblem({ examples: Array(10_000).fill(1) })).toBe("must have at most 10000 values");
    expect(boundsProblem({ examples: objects(5_000) })).toBe("must have at most 10000 values");
  });
});

describe("the schema checker", () => {
  const check = createJsonSchemaChecker();
  const problemOf = (schema: object) => check(JSON.stringify(schema), "client");

  it.each(drafts)("rejects invalid patterns of %s", async ($schema) => {
    expect(await problemOf({ $schema, pattern: "^a+$" })).toBeNull();
    expect(await problemOf({ $schema, patternProperties: { "^a": {}, "\\_": {} } })).toBeNull();
    const invalid = /^is not a valid JSON Schema: a pattern \(.*\) must be a regular expression/;
    expect(await problemOf({ $schema, pattern: "(" })).toMatch(invalid);
    expect(await problemOf({ $schema, patternProperties: { "[z-a]": {} } })).toMatch(invalid);
    expect(await problemOf({ $schema, properties: { a: { items: { pattern: "(" } } } })).toMatch(invalid);
    // Each of these classes takes the engine a fraction of a millisecond.
    expect(await problemOf({ $schema, pattern: "\\p{L}".repeat(2_001) })).toMatch(invalid);
  });

  it.each(drafts)("does not take data or names for patterns of %s", async ($schema) => {
    expect(
      await problemOf({ $schema, default: { pattern: "(" }, properties: { pattern: { type: "null" } } }),
    ).toBeNull();
  });

  it("names the invalid part, and the supported drafts", async () => {
    expect(await problemOf({ properties: { a: { type: "nonsense" } } })).toMatch(
      /^is not a valid JSON Schema: json_schema\/properties\/a\/type /,
    );
    expect(await problemOf({ $schema: "https://example.com/schema" })).toBe(
      "must have a supported $schema: draft-06, draft-07, draft/2019-09, draft/2020-12",
    );
  });

  it.each(drafts)("returns a short problem for a schema of %s with a long name and many errors", async ($schema) => {
    let nested: object = { type: 5, pattern: 5 };
    for (let depth = 0; depth < 58; depth++) nested = { items: nested };
    const problem = await problemOf({ $schema, properties: { ["/".repeat(120_000)]: nested } });
    expect(problem).toMatch(/^is not a valid JSON Schema: json_schema\/properties\//);
    expect(problem?.length).toBeLessThan(1_500);
    const pattern = await problemOf({ $schema, properties: { ["/".repeat(120_000)]: { pattern: "(" } } });
    expect(pattern?.length).toBeLessThan(1_500);
  });

  it("leaves this thread free while it validates the most expensive schemas that the bounds allow", async () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const costly = { $schema, allOf: Array.from({ length: 4 }, () => ({ enum: objects(1_000) })) };
    expect(boundsProblem(costly)).toBeNull();
    let isDone = false;
    let turns = 0;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    const checks = Promise.all(Array.from({ length: 3 }, () => problemOf(costly)));
    setImmediate(count);
    expect(await checks).toEqual([null, null, null]);
    isDone = true;
    expect(turns).toBeGreaterThan(100);
  });

  const endless = new URL(
    "data:text/javascript,import{parentPort}from'node:worker_threads';parentPort.postMessage('loaded');parentPort.on('message',()=>{for(;;);})",
  );

  it("returns 503 for a schema that takes too long, and validates the next one in a new thread", async () => {
    const slow = createJsonSchemaChecker({ script: endless, checkMs: 50 });
    const error = { status: 503, message: "The schema was not validated in time; try again shortly" };
    await expect(slow("{}", "client")).rejects.toMatchObject(error);
    await expect(slow("{}", "client")).rejects.toMatchObject(error);
  });

  it("rejects a schema with 503 that waits too long for others", async () => {
    const slow = createJsonSchemaChecker({ script: endless, checkMs: 100, waitMs: 1 });
    const first = slow("{}", "client").catch(() => {});
    const error = { status: 503, message: "Too many schemas are being validated; try again shortly" };
    await expect(slow("{}", "client")).rejects.toMatchObject(error);
    await first;
  });

  it("validates one schema of each client in turn, however many a client sends", async () => {
    const script = new URL(
      "data:text/javascript,import{parentPort as p}from'node:worker_threads';p.postMessage('loaded');p.on('message',()=>setTimeout(()=>p.postMessage(null),20))",
    );
    const slow = createJsonSchemaChecker({ script });
    const order: string[] = [];
    const send = (client: string) => slow("{}", client).then(() => order.push(client));
    await Promise.all([...Array.from({ length: 10 }, () => send("greedy")), send("one"), send("two")]);
    expect(order.slice(0, 4)).toEqual(["greedy", "one", "two", "greedy"]);
    expect(order).toHaveLength(12);
  });

  it("reports a failure of the thread", async () => {
    const broken = createJsonSchemaChecker({ script: new URL("data:text/javascript,throw new Error('broken')") });
    await expect(broken("{}", "client")).rejects.toThrow("broken");
  });
});
