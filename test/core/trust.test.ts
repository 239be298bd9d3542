import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import fc from "fast-check";
import pg from "pg";
import { type Address, encodeFunctionData, pad, parseEther, zeroAddress, zeroHash } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commerceRegistryAbi } from "../../abis/index";
import { skeletonsIn, skeletonsOf } from "../../api/trust/look-alike";
import { createIntentryClient } from "../../client/src/index";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { rowsOnChain } from "../support/agreement";
import { readChain } from "../support/agreement/chain";
import { ask } from "../support/lists/asking";
import { expectedReputations, valuesOfReputation } from "../support/rankings/expected-records";
import { timeStack, type WrittenStack } from "../support/shared-stack";
import { DOLLAR, marketOn, metadataUri, type Shop } from "./trust/market";

type Figure = { value: unknown; evidence: string };
type Reputation = {
  record: Record<string, Figure | string>;
  score: { value: number; inputs: { name: string; value: number; weight: number; half: number; points: number }[] };
};
type Verdict = {
  verdict: string;
  reasons: { code: string; level: string; message: string; evidence: string }[];
  facts: Record<string, unknown>;
};

const DAY = 86_400;
const HOUR = 3_600n;
const POINTS_DECIMALS = 18;

describe("reputations and verdicts", () => {
  let stack: WrittenStack;
  let market: ReturnType<typeof marketOn>;
  let pool: pg.Pool;
  /** The listed tokens: with a price of $1, and with the prices of this file, in 10^-8 dollars. */
  let tokens: { dollar: Address; points: Address; ether: Address };
  const prices = new Map<string, bigint>();

  const shops = {} as Record<"honest" | "loyal" | "claimant" | "exotic" | "own" | "payout" | "cheat" | "idle", Shop>;
  const buyers: PrivateKeyAccount[] = [];
  let agentId: string;

  /** Sets the dollars of a whole token in an hour. */
  async function setPrice(token: Address, decimals: number, hour: bigint, dollars: string): Promise<void> {
    prices.set(`${token} ${hour}`, BigInt(Math.round(Number(dollars) * 1e8)));
    await pool.query(
      `INSERT INTO offchain.token_price (chain_id, address, hour, price, unit_price) VALUES ($1, $2, $3, $4, $4::numeric / 10::numeric ^ $5::int)
       ON CONFLICT (chain_id, address, hour) DO UPDATE SET price = excluded.price, unit_price = excluded.unit_price`,
      [LOCAL_CHAIN_ID, token, String(hour), dollars, decimals],
    );
  }
  const thisHour = async () => {
    const { timestamp } = await stack.client.getBlock();
    return timestamp - (timestamp % HOUR);
  };
  /** A test dollar is worth a dollar in every hour with a receipt, and in the current one. */
  async function priceDollars(): Promise<void> {
    const hours = (await stack.rows("participantHour")).map(({ start }) => BigInt(start));
    for (const hour of new Set([...hours, await thisHour()])) await setPrice(tokens.dollar, 6, hour, "1");
  }
  const tokenNamed = async (symbol: string) => {
    const { matches } = await ask(stack.apiUrl, `/search?q=${symbol}`);
    const [found] = matches as { id: Address }[];
    return found?.id ?? zeroAddress;
  };
  async function advance(seconds: number): Promise<void> {
    await stack.client.increaseTime({ seconds });
    await stack.client.mine({ blocks: 1 });
    await stack.indexed();
  }

  const reputation = async (path: string) => (await ask(stack.apiUrl, path)) as unknown as Reputation;
  const reputationOf = ({ merchantId }: Shop) => reputation(`/merchants/${merchantId}/reputation`);
  const creditOf = async (shop: Shop) => ((await reputationOf(shop)).record.credit as Figure).value;
  const trust = async (record: string, query = "") =>
    (await ask(stack.apiUrl, `/trust/${record}${query}`)) as unknown as Verdict;
  const trustOf = ({ merchantId }: Shop, query = "") => trust(`merchant/${merchantId}`, query);
  const problemsOf = ({ reasons }: Verdict) =>
    reasons.filter(({ level }) => level !== "info").map(({ code, level }) => `${code}: ${level}`);
  const statusOf = async (path: string) => (await fetch(`${stack.apiUrl}${path}`)).status;

  beforeAll(async () => {
    stack = await timeStack();
    pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
    market = marketOn(stack);
    tokens = {
      dollar: stack.contracts.TestDollar.toLowerCase() as Address,
      points: await tokenNamed("tPTS"),
      ether: await tokenNamed("tWETH"),
    };
    const { account, shop, sell, agent } = market;
    for (let index = 0; index < 6; index++) buyers.push(await account(`buyer ${index}`));
    const [first, second, third] = buyers as [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount];
    const payout = await account("payout");
    for (const name of ["honest", "loyal", "claimant", "exotic", "own", "cheat", "idle"] as const)
      shops[name] = await shop(name, name === "honest" ? { uri: metadataUri("Honest Shop of Trust") } : {});
    shops.payout = await shop("payout", { payout: payout.address });
    agentId = await agent(first);

    for (const buyer of buyers) await sell(shops.honest, buyer);
    for (let sale = 0; sale < 5; sale++) await sell(shops.loyal, first);
    for (const buyer of [first, second, third])
      for (let sale = 0; sale < 2; sale++) await sell(shops.claimant, buyer, { proof: "claim" });
    await sell(shops.exotic, first, { token: zeroAddress, amount: 10n ** 18n });
    await sell(shops.own, shops.own.owner);
    await sell(shops.payout, payout);
    for (let sybil = 0; sybil < 3; sybil++) await sell(shops.cheat, await account("sybil"));

    // Points of different prices in two hours, and of an hour without a price.
    await sell(shops.honest, second, { token: tokens.points, amount: 3n * 10n ** 18n, proof: "claim" });
    await setPrice(tokens.points, POINTS_DECIMALS, await thisHour(), "0.25");
    await advance(3_600);
    await sell(shops.honest, second, { token: tokens.points, amount: 5n * 10n ** 18n, proof: "claim" });
    await setPrice(tokens.points, POINTS_DECIMALS, await thisHour(), "1.5");
    await advance(3_600);
    await sell(shops.honest, second, { token: tokens.points, amount: 7n * 10n ** 18n, proof: "claim" });
    await advance(8 * DAY);
    await priceDollars();
  }, 240_000);
  afterAll(async () => {
    await pool?.query("DELETE FROM offchain.token_price WHERE address = $1", [tokens.points]);
    await pool?.end();
    await stack?.release();
  });

  async function expectFigures(): Promise<void> {
    await stack.indexed();
    const decimals = (token: string) => (token === tokens.dollar ? 6 : POINTS_DECIMALS);
    const listed = new Map(Object.values(tokens).map((token) => [token, { decimals: decimals(token) }]));
    const priceOf = (token: string, hour: bigint) => prices.get(`${token} ${hour}`);
    const { timestamp: now } = await stack.client.getBlock();
    const [rows, { timeOf }] = [await rowsOnChain(stack, 0n), await readChain(stack)];
    for (const { path, ...expected } of expectedReputations({ rows, timeOf, market: { listed, priceOf, now } }))
      expect([path, valuesOfReputation(await reputation(path))]).toEqual([path, expected]);
  }

  it("have the figures that follow from the chain's logs and the prices", async () => {
    await expectFigures();
    const { record } = await reputationOf(shops.honest);
    // Six sales of $2, points of $0.75 and $7.5, and some without a price.
    expect(record).toMatchObject({ receipts: { value: "9" }, volume_usd: { value: "20.25" }, credit: { value: "63" } });
  });

  it("have a score that follows from the response alone", async () => {
    for (const path of [`/merchants/${shops.honest.merchantId}/reputation`, `/agents/${agentId}/reputation`]) {
      const { record, score } = await reputation(path);
      const figure = (name: string) => Number((record[name] as Figure).value);
      const lost = figure("lost_disputes");
      const expected: Record<string, number> = {
        credit: figure("credit"),
        age_days: figure("age_days"),
        attestors: figure("attestors"),
        lost_disputes_per_mille: lost === 0 ? 0 : Math.floor((1000 * lost) / (lost + figure("credit") / 10)),
      };
      let sum = 0;
      for (const { name, value, weight, half, points } of score.inputs) {
        expect([name, value]).toEqual([name, expected[name]]);
        expect([name, points]).toEqual([name, Number((BigInt(weight) * BigInt(value)) / BigInt(value + half))]);
        sum += points;
      }
      expect(score.inputs).toHaveLength(4);
      expect(score.value).toBe(Math.max(0, sum));
      expect(score.value).toBeGreaterThan(0);
    }
  });

  describe("a cheat", () => {
    it("gains less by many receipts of one counterparty than by as many counterparties", async () => {
      expect(await creditOf(shops.loyal)).toBe("30");
      const [loyal, honest] = [await reputationOf(shops.loyal), await reputationOf(shops.honest)];
      expect(loyal.score.value).toBeLessThan(honest.score.value);
    });

    it("gains nothing by receipts in an unlisted token, whatever their amount", async () => {
      const [{ record, score }, idle] = [await reputationOf(shops.exotic), await reputationOf(shops.idle)];
      expect(record).toMatchObject({ receipts: { value: "0" }, volume_usd: { value: "0" }, credit: { value: "0" } });
      expect(score).toEqual(idle.score);
    });

    it.each(["own", "payout"] as const)("gains nothing by paying itself, from its %s address", async (name) => {
      const [{ record, score }, idle] = [await reputationOf(shops[name]), await reputationOf(shops.idle)];
      expect(record).toMatchObject({ receipts: { value: "0" }, volume_usd: { value: "0" }, credit: { value: "0" } });
      expect(score).toEqual(idle.score);
    });

    it("gains a tenth by claims without a proof", async () => {
      expect(await creditOf(shops.claimant)).toBe("6");
      expect(problemsOf(await trustOf(shops.claimant))).toEqual(["payments: review"]);
    });

    it("gains by many addresses of its own, which pay as much as others would", async () => {
      expect(await creditOf(shops.cheat)).toBe("30");
      const paid = (await stack.rows("settlement")).filter(({ lines }) =>
        lines?.toLowerCase().includes(shops.cheat.payout.slice(2).toLowerCase()),
      );
      expect(paid).toHaveLength(3);
    });

    it("does not raise its usual amount by claims", async () => {
      await market.sell(shops.loyal, buyers[0] as PrivateKeyAccount, { proof: "claim", amount: 10n ** 12n });
      await priceDollars();
      const { facts } = await trustOf(shops.loyal, `?amount=${30n * DOLLAR}&token=${tokens.dollar}`);
      expect(facts).toMatchObject({ usual_amount_usd: "2", amount_usd: "30" });
    });
  });

  it("count trusted attestors once, without the owner, inactive and unregistered ones, and revoked attestations", async () => {
    const { account } = market;
    const { owner } = shops.idle;
    const attest = (from: PrivateKeyAccount) =>
      stack.write(from, "AttestationRegistry", "submitAttestation", [
        zeroHash,
        pad(owner.address, { size: 32 }),
        zeroHash,
      ]);
    const [active, inactive] = [await account("active attestor"), await account("inactive attestor")];
    const [stranger, regretful] = [await account("unregistered attestor"), await account("regretful attestor")];
    for (const one of [active, inactive, regretful, owner])
      await stack.write(one, "AttestorRegistry", "registerAttestor", ["uri", zeroHash]);
    for (const one of [active, active, inactive, stranger, owner, regretful]) await attest(one);
    const attestors = await stack.rows("attestor");
    const idOf = ({ address }: PrivateKeyAccount) =>
      BigInt(attestors.find(({ operator }) => operator === address.toLowerCase())?.attestorId ?? 0);
    await stack.write(inactive, "AttestorRegistry", "updateAttestor", [idOf(inactive), "uri", zeroHash, false]);
    const last = (await stack.rows("attestation")).at(-1);
    await stack.write(regretful, "AttestationRegistry", "revokeAttestation", [BigInt(last?.attestationId ?? 0)]);
    await stack.indexed();
    const { record } = await reputationOf(shops.idle);
    expect(record.attestors).toMatchObject({ value: "1" });
    await expectFigures();
  });

  it("count disputes that the opener lost, and those that the merchant lost", async () => {
    const buyer = await market.account("disputing buyer");
    const id = await market.agent(buyer);
    const receipts = [await market.sell(shops.idle, buyer), await market.sell(shops.idle, buyer)] as const;
    await market.dispute(shops.idle, buyer, receipts[0], 1);
    await market.dispute(shops.idle, buyer, receipts[1], 2);
    await market.dispute(shops.idle, buyer, receipts[1]);
    await stack.indexed();
    await priceDollars();
    const counts = { disputes: { value: "3" }, open_disputes: { value: "1" }, lost_disputes: { value: "1" } };
    expect((await reputationOf(shops.idle)).record).toMatchObject(counts);
    expect((await reputation(`/agents/${id}/reputation`)).record).toMatchObject(counts);
    await expectFigures();
  });

  describe("GET /trust", () => {
    it("proceeds with a merchant that has a history", async () => {
      const query = `?amount=${5n * DOLLAR}&token=${tokens.dollar}`;
      const found = await trustOf(shops.honest, query);
      expect(problemsOf(found)).toEqual([]);
      expect(found).toMatchObject({
        verdict: "proceed",
        facts: { usual_amount_usd: "2", amount_usd: "5", credit: "63" },
      });
      expect(found.reasons.map(({ code }) => code)).toEqual([
        ...["status", "age", "payments", "disputes", "attestations", "name", "token", "amount"],
      ]);
    });

    it("has the facts of the reputation", async () => {
      const { record } = await reputationOf(shops.honest);
      const { facts } = await trustOf(shops.honest);
      for (const name of ["registered_at", "age_days", "counterparties", "credit", "open_disputes", "attestors"])
        expect([name, facts[name]]).toEqual([name, (record[name] as Figure).value]);
    });

    it.each([
      ["amount: review", () => `?amount=${21n * DOLLAR}&token=${tokens.dollar}`],
      // Listed, but without a price now.
      ["amount: review", () => `?amount=1&token=${tokens.points}`],
    ])("answers %s for an amount that is far above the usual ones or has no price", async (problem, query) => {
      const found = await trustOf(shops.honest, query());
      expect([found.verdict, problemsOf(found)]).toEqual(["review", [problem]]);
    });

    it("answers review for a token that is not listed", async () => {
      expect(problemsOf(await trustOf(shops.honest, `?token=${zeroAddress}`))).toEqual(["token: review"]);
    });

    it("answers review for a new record, and avoid for a revoked agent", async () => {
      const owner = await market.account("owner of a new agent");
      const id = await market.agent(owner);
      expect(problemsOf(await trust(`agent/${id}`))).toEqual(["age: review", "payments: review"]);
      await stack.write(owner, "AgentRegistry", "revokeAgent", [BigInt(id)]);
      await stack.indexed();
      const revoked = await trust(`agent/${id}`);
      expect(revoked.verdict).toBe("avoid");
      expect(revoked.reasons[0]).toEqual({
        ...{ code: "status", level: "avoid", message: `The agent ${id} is revoked.`, evidence: `/agents/${id}` },
      });
      // An address stands for its newest agent.
      const other = await market.agent(owner);
      expect(await trust(`agent/${owner.address}`)).toMatchObject({ id: other, verdict: "review" });
    });

    it("answers avoid for an inactive merchant and its services", async () => {
      const shop = await market.shop("closed");
      const update = [shop.merchantId, shop.payout, "closed", zeroHash, false] as const;
      await stack.write(shop.owner, "CommerceRegistry", "updateMerchant", update);
      await stack.indexed();
      expect(await trustOf(shop)).toMatchObject({ verdict: "avoid" });
      expect(await trust(`service/${shop.serviceNumericId}`)).toMatchObject({ verdict: "avoid" });
    });

    it("answers review, then avoid, with more lost disputes", async () => {
      const buyer = buyers[0] as PrivateKeyAccount;
      const levels: string[] = [];
      for (let lost = 0; lost < 2; lost++) {
        const receiptId = await market.sell(shops.cheat, buyer);
        await market.dispute(shops.cheat, buyer, receiptId, 1);
        await stack.indexed();
        levels.push(...problemsOf(await trustOf(shops.cheat)).filter((one) => one.startsWith("disputes")));
      }
      expect(levels).toEqual(["disputes: review", "disputes: avoid"]);
    });

    it("answers review for a name that passes for that of a record with more credit", async () => {
      const impostor = await market.shop("impostor", { uri: metadataUri("Ноnest Sh0p  оf\u200d Trust") });
      const named = async () => (await trustOf(impostor)).facts;
      await expect.poll(named, { timeout: 30_000 }).toMatchObject({ name: "Ноnest Sh0p  оf\u200d Trust" });
      const found = await trustOf(impostor);
      expect(problemsOf(found)).toContain("name: review");
      expect(found.facts.look_alikes).toEqual([
        {
          id: String(shops.honest.merchantId),
          name: "Honest Shop of Trust",
          evidence: `/merchants/${shops.honest.merchantId}`,
        },
      ]);
      expect(problemsOf(await trustOf(shops.honest))).toEqual([]);
    });

    it("answers review for such a name among a hundred others with the same one", async () => {
      const name = "Later 5hop of Trust";
      const resolved = async (named: string) => {
        const select =
          "SELECT count(*)::int AS count FROM offchain.resolved_metadata WHERE chain_id = $1 AND name = $2";
        return (await pool.query<{ count: number }>(select, [LOCAL_CHAIN_ID, named])).rows[0]?.count;
      };
      const areResolved = (named: string, count: number) =>
        expect.poll(() => resolved(named), { timeout: 60_000 }).toBe(count);
      const { Multicall, CommerceRegistry } = stack.contracts;
      const args = [Multicall, metadataUri(name), zeroHash] as const;
      const data = encodeFunctionData({ abi: commerceRegistryAbi, functionName: "registerMerchant", args });
      const decoys = Array.from({ length: 110 }, () => ({ target: CommerceRegistry, value: 0n, data }));
      await stack.write(await market.account("owner of decoys"), "Multicall", "aggregate", [decoys]);
      await areResolved(name, 110);
      const later = await market.shop("later", { uri: metadataUri("Later Shop of Trust") });
      await market.sell(later, buyers[0] as PrivateKeyAccount);
      await priceDollars();
      await areResolved("Later Shop of Trust", 1);
      const impostor = await market.shop("impostor among decoys", { uri: metadataUri(name) });
      await areResolved(name, 111);
      const found = await trustOf(impostor);
      expect(problemsOf(found)).toContain("name: review");
      expect(found.facts.look_alikes).toMatchObject([{ id: String(later.merchantId) }, {}, {}, {}, {}]);
    }, 90_000);

    it("reads names in the database as the tested function does", async () => {
      const letters = [..."Skyline Data 015$I|", ..."аАеЕоОΙΝΚѕԁ", "\u200d", "Ｓ", "\u00a0"];
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 }), async (name) => {
          const { sql: text, params } = new PgDialect().sqlToQuery(
            sql`SELECT ${skeletonsIn(sql`${name}::text`)} AS names`,
          );
          const { rows } = await pool.query<{ names: string[] }>(text, params);
          // The first is the name in lowercase, for which some databases know ASCII only.
          expect(rows[0]?.names.slice(1)).toEqual(skeletonsOf(name).slice(1));
        }),
      );
    });

    it("finds solvers and facilitators by id and by address", async () => {
      const one = await market.account("solver and facilitator");
      await stack.write(one, "SolverRegistry", "registerSolver", ["uri", zeroHash], parseEther("1"));
      await stack.write(one, "CommerceRegistry", "registerFacilitator", [one.address, "uri", zeroHash]);
      await stack.indexed();
      for (const kind of ["solver", "facilitator"]) {
        const found = (await trust(`${kind}/${one.address}`)) as Verdict & { id: string };
        expect(found).toMatchObject({ kind, facts: { address: one.address.toLowerCase(), open_disputes: null } });
        expect(await trust(`${kind}/${found.id}`)).toEqual(found);
        expect(problemsOf(found)).toEqual(["age: review", "payments: review"]);
      }
    });

    it("returns 404 for unknown records, and 400 for input that is incomplete", async () => {
      const nobody = `0x${"12".repeat(20)}`;
      for (const record of [
        "merchant/999999",
        "service/999999",
        `agent/${nobody}`,
        `solver/${nobody}`,
        `facilitator/${nobody}`,
      ])
        expect([record, await statusOf(`/trust/${record}`)]).toEqual([record, 404]);
      for (const path of [`merchant/${nobody}`, "merchant/1?amount=1", "attestor/1", "agent/x"])
        expect([path, await statusOf(`/trust/${path}`)]).toEqual([path, 400]);
      expect(await statusOf("/agents/999999/reputation")).toBe(404);
    });

    it("links evidence that exists", async () => {
      const records = [
        ...[`merchant/${shops.honest.merchantId}`, `service/${shops.honest.serviceNumericId}`, `agent/${agentId}`],
        ...["solver/1", "facilitator/1"],
      ];
      const { reasons } = await trustOf(shops.honest, `?amount=1&token=${tokens.dollar}`);
      const links = new Set(reasons.map(({ evidence }) => evidence));
      for (const record of records) for (const { evidence } of (await trust(record)).reasons) links.add(evidence);
      for (const path of [`/merchants/${shops.honest.merchantId}/reputation`, `/agents/${agentId}/reputation`])
        for (const figure of Object.values((await reputation(path)).record))
          if (typeof figure !== "string") links.add(figure.evidence);
      for (const link of links) expect([link, await statusOf(link)]).toEqual([link, 200]);
    });

    it("is the same over MCP and in the client", async () => {
      const input = {
        kind: "merchant",
        id: String(shops.honest.merchantId),
        amount: "5000000",
        token: tokens.dollar,
      } as const;
      const rest = await trust(`merchant/${input.id}`, `?amount=${input.amount}&token=${input.token}`);
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${stack.apiUrl}/mcp`)));
      const { content } = (await client.callTool({ name: "trust_check", arguments: input })) as {
        content: { text: string }[];
      };
      await client.close();
      expect(JSON.parse(content[0]?.text ?? "")).toEqual(rest);
      expect(await createIntentryClient({ url: stack.apiUrl }).trust.check.query(input)).toEqual(rest);
    });
  });

  it("have the figures of the canonical chain after a reorg", async () => {
    const buyer = buyers[1] as PrivateKeyAccount;
    const before = await reputationOf(shops.loyal);
    const fresh = await market.shop("fresh");
    const onBoard = async () => {
      const path = "/leaderboard/merchants?window=24h&limit=100";
      const { ranking } = (await ask(stack.apiUrl, path)) as unknown as { ranking: { key: string }[] };
      return ranking.some(({ key }) => key === String(fresh.merchantId));
    };
    const snapshot = await stack.client.snapshot();
    await market.dispute(shops.loyal, buyer, await market.sell(shops.loyal, buyer), 1);
    await market.sell(fresh, buyer);
    await stack.indexed();
    expect([await creditOf(fresh), await onBoard()]).toEqual(["10", true]);
    expect((await reputationOf(shops.loyal)).score.value).toBeLessThan(before.score.value);
    await stack.client.revert({ id: snapshot });
    await market.agent(await market.account("agent after the reorg"));
    await stack.client.mine({ blocks: 20 });
    await stack.indexed();
    await expect
      .poll(async () => (await reputationOf(shops.loyal)).record)
      .toMatchObject({ ...before.record, age_days: expect.anything() });
    // Its only receipt is gone.
    expect([await creditOf(fresh), await onBoard()]).toEqual(["0", false]);
    await expectFigures();
  }, 60_000);
});
