import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LocalDeployment } from "../../config/networks";
import { type ChainConnection, connect } from "../../stack/local/chain";
import type { Contracts } from "../../stack/local/deploy";
import { agents, attestors, facilitators, solvers } from "../../stack/local/market-week/cast";
import { marketWeek } from "../../stack/local/market-week/index";
import { merchants } from "../../stack/local/market-week/shops";
import { protocolOn } from "../../stack/local/protocol";
import { useStateFolder } from "../support/state-folder";

const WEEK_MS = 7 * 86_400_000;

type Row = Record<string, string | null>;

describe("the market week of npm start", () => {
  const { start, stateFolder, ports } = useStateFolder();
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${ports().API_PORT}${path}`)).json();
  const list = async (name: string): Promise<Row[]> => (await get(`/${name}?limit=100`))[name];
  const countsOf = async (names: readonly string[]) =>
    Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await list(name)).length] as const)));
  const counted = ["agents", "attestors", "disputes", "facilitators", "intents", "merchants", "receipts", "services"];
  const deploymentOf = async () =>
    LocalDeployment.parse(JSON.parse(await readFile(join(stateFolder(), "local.json"), "utf8")));

  /** The transactions and the times of the blocks of the week. */
  async function blocksOf(client: ChainConnection) {
    const newest = Number(await client.getBlockNumber());
    const numbers = Array.from({ length: newest + 1 }, (_, number) => BigInt(number));
    const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })));
    const first = blocks.findIndex(({ transactions }) => transactions.length > 20);
    return blocks.slice(first).filter(({ transactions }) => transactions.length > 0);
  }

  it("has two priced tokens, named participants, a contested intent and decided disputes, and is the same after a restart", async () => {
    const first = start();
    await first.printed("Ready. The gateway is on");
    const started = Date.now();
    const deployment = await deploymentOf();
    const client = connect(deployment.rpcUrl);

    const blocks = await blocksOf(client);
    expect(blocks.length).toBeLessThanOrEqual(60);
    expect(blocks.reduce((sum, { transactions }) => sum + transactions.length, 0)).toBeLessThanOrEqual(500);
    const times = blocks.map(({ timestamp }) => 1_000 * Number(timestamp));
    expect(Math.abs(started - WEEK_MS - (times[0] ?? 0))).toBeLessThan(86_400_000);
    expect(started - (times.at(-1) ?? 0)).toBeLessThan(30 * 60_000);
    expect(Math.abs(Date.now() - 1_000 * Number((await client.getBlock()).timestamp))).toBeLessThan(60_000);

    const counts = await countsOf(counted);
    expect(counts).toMatchObject({
      ...{ agents: 13, attestors: 5, disputes: 6, facilitators: 3, merchants: 8, services: 14 },
    });
    expect(counts.intents).toBeGreaterThanOrEqual(55);
    expect(counts.receipts).toBeGreaterThanOrEqual(65);
    const statuses = new Set((await list("intents")).map(({ status }) => status));
    expect(statuses).toEqual(new Set(["OPEN", "FILLED", "EXPIRED", "CANCELLED"]));

    for (const symbol of ["tBTC", "tEUR"]) {
      const token = deployment.tokens?.tokens.find((one) => one.symbol === symbol);
      const prices = async () => {
        const { points }: { points: Row[] } = await get(`/tokens/${token?.address}/prices?interval=day`);
        return points.slice(-7).map(({ price }) => Number(price));
      };
      await expect.poll(async () => (await prices()).every((price) => price > 0), { timeout: 30_000 }).toBe(true);
      // The newest hours are read last if the gateway was ready before the week was over.
      await expect
        .poll(async () => new Set(await prices()).size, { timeout: 30_000, message: `prices of ${symbol}` })
        .toBe(7);
    }

    const services = merchants.flatMap((merchant) => merchant.services);
    for (const { name } of [...solvers, ...agents, ...facilitators, ...attestors, ...merchants, ...services])
      await expect
        .poll(async () => (await get(`/search?q=${encodeURIComponent(name)}`)).results, { timeout: 30_000 })
        .toEqual(expect.arrayContaining([expect.objectContaining({ name })]));

    const bidsOf = async () => {
      const all = await Promise.all(
        (await list("intents")).map(
          async ({ intent_id }): Promise<Row[]> => (await get(`/intents/${intent_id}/bids`)).bids,
        ),
      );
      return all.reduce((most, bids) => (bids.length > most.length ? bids : most));
    };
    const bids = await bidsOf();
    expect(new Set(bids.map(({ solver }) => solver))).toEqual(
      new Set(solvers.map(({ account }) => account.address.toLowerCase())),
    );
    expect(bids.filter(({ source }) => source === "onchain")).toHaveLength(10);
    expect(bids.filter(({ source }) => source === "offchain")).toHaveLength(2);

    const disputes = (await list("disputes")).slice(0, 3);
    expect(disputes.map(({ status }) => status).sort()).toEqual(["OPEN", "REJECTED", "RESOLVED"]);
    for (const { reason_hash, resolution_hash, receipt_id } of disputes)
      for (const hash of [reason_hash, resolution_hash])
        if (hash)
          expect(await get(`/fulfillment-evidence/${hash}`)).toMatchObject({
            receipt_id,
            statement: expect.stringMatching(/\w/),
          });

    // The chain has it already.
    const { contracts, tokens } = deployment;
    if (!tokens) throw new Error("The deployment has no token list");
    const newest = await client.getBlockNumber();
    expect(await marketWeek(protocolOn(client, contracts as Contracts), tokens, deployment.apiUrl)).toBeUndefined();
    expect(await blocksOf(client)).toHaveLength(blocks.length);
    expect(await client.getBlockNumber()).toBeLessThan(newest + 10n);

    expect(await first.stop()).toBe(0);
    const second = start();
    await second.printed("Ready. The gateway is on");
    expect(await countsOf(counted)).toEqual(counts);
    expect(await bidsOf()).toHaveLength(12);
    expect(await second.stop()).toBe(0);
  }, 360_000);
});
