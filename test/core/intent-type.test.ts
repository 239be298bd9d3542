import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clockAt } from "../../api/core/clock";
import { createGateway } from "../../api/gateway";
import { parseEnvironment } from "../../config/environment";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { links } from "../../explorer/links";
import { sampleStack } from "../support/shared-stack";
import { withoutIndex } from "../support/without-index";
import { callTool } from "./gateway-on-store";

/** The reference contract has one type. A later version may add more, up to 255. */
describe("the type of an intent", () => {
  let connection: pg.Client;
  let gateway: ReturnType<typeof createGateway>;

  beforeAll(async () => {
    const { databaseUrl, contracts } = await sampleStack();
    connection = new pg.Client({ connectionString: databaseUrl, options: "-c search_path=intentry_test" });
    await connection.connect();
    // Only this connection sees the copy, and reads it in place of the index's table.
    await connection.query("CREATE TEMPORARY TABLE intent AS TABLE intent");
    const db = drizzle(connection, { casing: "snake_case" });
    gateway = createGateway(
      {
        ...withoutIndex,
        db,
        store: async () => db as never,
        tokens: { find: async () => new Map(), named: async () => [] },
        head: async () => ({
          historyDone: true,
          isComplete: true,
          block: 1n,
          timestamp: 1n,
          builtBlock: 1n,
          revision: "1",
        }),
        clock: async () => clockAt(1n),
        config: {
          ...parseEnvironment({ NODE_ENV: "test" }),
          chainId: LOCAL_CHAIN_ID,
          contracts,
          cursorSecret: async () => "a secret for tests",
          listed: new Map(),
        },
      },
      pino({ level: "silent" }),
    );
  });
  afterAll(() => connection?.end());

  const json = async (path: string) => (await gateway.request(path)).json();

  it.each([
    [0, "SWAP_EXACT_IN_MAX_SLIPPAGE"],
    [1, "UNKNOWN_1"],
    [7, "UNKNOWN_7"],
    [255, "UNKNOWN_255"],
  ])("%i is reported as %s by every transport", async (type, name) => {
    await connection.query("UPDATE intent SET intent_type = $1 WHERE intent_id = 1", [type]);
    const intent = { intent_id: "1", intent_type: name };
    expect(await json("/intents/1")).toMatchObject(intent);
    expect(await json("/intents?limit=100")).toMatchObject({
      intents: expect.arrayContaining([expect.objectContaining(intent)]),
    });
    const input = encodeURIComponent(JSON.stringify({ id: "1" }));
    expect(await json(`/trpc/intents.get?input=${input}`)).toMatchObject({ result: { data: intent } });
    const { text, isError } = await callTool(gateway, "intents_get", { id: "1" });
    expect(isError, text).toBe(false);
    expect(JSON.parse(text ?? "")).toMatchObject(intent);
    const page = await gateway.request(links.intent("1"));
    expect(await page.text()).toContain(`<code>${name}</code>`);
  });
});
