import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { allOperations } from "../../api/operations/index";
import { responseExamples } from "../../api/transports/examples";
import { actor } from "../../stack/local/chain";
import { publishExamples } from "../../stack/local/sample/published";
import { cli } from "../support/cli-run";
import { type Stack, startStack } from "../support/stack";
import { sendExamples } from "./example-requests";

/** Records the responses again, after a change of the sample activity or of a response: `RECORD_EXAMPLES=1`. */
const isRecording = process.env.RECORD_EXAMPLES === "1";

const file = join(import.meta.dirname, "..", "..", "api", "transports", "examples.json");

const MAX_ITEMS = 2;

/** A value with shortened arrays. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

/** The names of a value's members, at any depth, without the items of arrays, whose number differs. */
function membersOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    name,
    ...membersOf(member).map((inner) => `${name}.${inner}`),
  ]);
}

describe("the examples of the OpenAPI document, on the sample chain", () => {
  let stack: Stack;
  const responses: Record<string, unknown> = {};

  beforeAll(async () => {
    // Its own stack: the shared one sells no portfolios, and other tests publish documents there.
    stack = await startStack({ sample: true, tokens: true });
    await publishExamples(stack.apiUrl, undefined);
    // The names of the sample are in the examples of searches.
    const state = async (record: string) => {
      const response = await fetch(`${stack.apiUrl}/${record}?include=metadata`);
      return ((await response.json()) as { metadata: { state: string } }).metadata.state;
    };
    for (const record of ["merchants/1", "services/1"])
      await vi.waitUntil(async () => (await state(record)) === "verified", { timeout: 60_000, interval: 200 });
    const firstPrice = async () => {
      const response = await fetch(`${stack.apiUrl}/tokens/${stack.tokens?.tokens[0]?.address}/prices?interval=hour`);
      return ((await response.json()) as { points: { price: string | null }[] }).points[0]?.price;
    };
    await vi.waitUntil(async () => (await firstPrice()) === "1", { timeout: 60_000, interval: 200 });
    Object.assign(responses, await sendExamples(stack.apiUrl));
    const service = ["--url", stack.apiUrl];
    const event = await cli(["events", "from_block=0", "intent_id=2", "--limit", "1", "--json", ...service]);
    const messages = event.stdout.trim().split("\n");
    responses["events.subscribe"] = messages.map((line) => JSON.parse(line)).find(({ type }) => type === "event").data;
    responses["portfolio.get"] = JSON.parse((await cli(["pay-portfolio", actor(9).address, ...service])).stdout);
    if (!isRecording) return;
    const recorded = Object.entries(responses).map(([name, response]) => [name, shortened(response)]);
    await writeFile(file, `${JSON.stringify(Object.fromEntries(recorded), null, 2)}\n`);
  }, 300_000);

  afterAll(async () => {
    await stack?.stop();
  });

  it("exist for every operation", () => {
    expect(Object.keys(responseExamples).sort()).toEqual(allOperations.map(({ name }) => name).sort());
  });

  it.each(allOperations)("$name has the members of the present response", ({ name }) => {
    expect(membersOf(responseExamples[name])).toEqual(membersOf(responses[name]));
  });

  it("have the values of the sample chain", () => {
    const chosen = ["search.names", "agents.get", "merchants.get", "services.get", "disputes.get"];
    for (const name of chosen) expect(responseExamples[name], name).toEqual(responses[name]);
  });
});
