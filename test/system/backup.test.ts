import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { payingFetch } from "../../stack/paying-fetch";
import { demoPayer } from "../../stack/sample/people";
import { publishExamples } from "../../stack/sample/published";
import { cli } from "../support/cli-run";
import { createTestDatabase } from "../support/database";
import { indexOf } from "../support/index-of";
import { compareServers } from "../support/same-answers/compare";
import { startStack } from "../support/stack";
import { contentOf, run } from "./store-content";

const stops: (() => unknown)[] = [];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "intentry-backup-"));
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  await rm(folder, { recursive: true, force: true });
});

describe("a backup of a running stack", () => {
  it("restores every answer of the service in an empty database", async () => {
    const stack = await startStack({ sample: true, tokens: true });
    stops.push(stack.stop);
    const { apiUrl, env, databaseUrl: url } = stack;
    await publishExamples(apiUrl, undefined);
    const isVerified = async () =>
      (await (await fetch(`${apiUrl}/services/3?include=metadata`)).text()).includes("verified");
    await expect.poll(isVerified, { timeout: 30_000 }).toBe(true);
    const send = async (path: string, body: object) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const response = await fetch(`${apiUrl}${path}`, init);
      expect(response.ok, await response.clone().text()).toBe(true);
      return (await response.json()) as { bid_id: string };
    };
    const bid = { solver: demoPayer.address, amount_in: "1", amount_out: "2", fee: "0", valid_until: "4000000000" };
    await send("/intents/6/bids", bid);
    const { bid_id } = await send("/intents/6/bids", { ...bid, amount_out: "3" });
    const paid = await payingFetch(
      demoPayer,
      stack.contracts.TestDollar,
    )(`${apiUrl}/portfolio?address=${demoPayer.address}&chains=local`);
    expect(paid.status).toBe(200);
    // The gateway reads the block of the settlement later.
    const settledIn = () => run({ url }, "SELECT block_number IS NOT NULL AS known FROM offchain.payment");
    await expect.poll(settledIn, { timeout: 30_000 }).toEqual([{ known: true }]);

    const file = join(folder, "stack.backup.gz");
    const backup = await cli(["backup", file], env);
    expect(backup.stderr).toBe("");
    expect(backup.stdout).toMatch(/\n {2}bid +2 rows, \d+ bytes\n/);
    expect(backup.stdout).toMatch(/\n {2}payment +1 row, [\d,]+ bytes\n/);
    expect(backup.stdout).toMatch(
      /\n\d+ tables, \d+ rows, [\d,]+ bytes\nBacked up to .*stack\.backup\.gz \([\d,]+ bytes compressed\)\.\n$/,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const refused = await cli(["restore", file, "--replace", "--yes"], env);
    expect(refused.stderr).toMatch(/^A gateway or an indexer uses this store\. Stop the service/);
    expect(refused.code).toBe(1);

    const database = await createTestDatabase("restored");
    stops.push(database.drop);
    const restored = await cli(["restore", file], { ...env, DATABASE_URL: database.url });
    expect(restored.stderr).toBe("");
    expect(restored.stdout).toMatch(/\nRestored the backup of .*Z\. All checksums match\. Start the service now\.\n$/);
    const [before, after] = [await contentOf({ url }), await contentOf(database)];
    // The stack records pending events of the payment's block meanwhile.
    expect({ ...after, event_record: [] }).toEqual({ ...before, event_record: [] });

    const index = await indexOf(stack.chain, stack.contracts, { DATABASE_URL: database.url }, {}, stack.tokens);
    stops.push(index.removeIndex);
    await index.startIndexer();
    const { differences, compared } = await compareServers(apiUrl, index.apiUrl, {
      more: [
        { method: "GET", path: "/intents/6/bids" },
        { method: "GET", path: `/intents/6/bids?status=selected` },
        { method: "GET", path: "/search?q=weather" },
        { method: "GET", path: "/services/3?include=metadata" },
      ],
    });
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(500);
    // The numbers of bids continue.
    const next = await fetch(`${index.apiUrl}/intents/6/bids`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(bid),
    });
    const { bid_id: following } = (await next.json()) as { bid_id: string };
    expect(following).not.toBe(bid_id);
    expect(await run(database, "SELECT max(number)::int AS last FROM offchain.bid")).toEqual([{ last: 3 }]);
  });
});
