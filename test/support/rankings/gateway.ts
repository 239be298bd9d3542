import { pino } from "pino";
import type { Address } from "viem";
import { clockAt } from "../../../api/core/clock";
import { createGateway } from "../../../api/gateway";
import { openStore } from "../../../api/offchain/open";
import { parseEnvironment } from "../../../config/environment";
import type { ListedToken } from "../../../config/token-list";
import type { Contracts } from "../../../stack/local/deploy";
import { recordedIndex } from "../recorded-index";
import { withoutIndex } from "../without-index";
import type { OffchainBid } from "./expected-bids";
import type { Market } from "./market";

/** A chain id of its own, whose prices and bids no other gateway of the database writes or reads. */
const CHAIN_ID = 999_000_001;

type Options = {
  databaseUrl: string;
  schema: string;
  contracts: Contracts;
  market: Market;
  offchain?: readonly OffchainBid[];
};

/** Opens a gateway on an index, with the listed tokens, the prices, the off-chain bids and the time of a market. */
export async function rankingGateway({ databaseUrl, schema, contracts, market, offchain = [] }: Options) {
  const index = recordedIndex(databaseUrl, schema);
  const store = await openStore({ databaseUrl, onIdleError: () => {} });
  await savePrices(index.pool, market);
  await saveBids(index.pool, market, offchain);
  const listed = new Map<Address, ListedToken>(
    [...market.listed].map(([token, { decimals }]) => [
      token as Address,
      { address: token as Address, symbol: "T", name: "Token", decimals, logo: null, stablecoin: false, feeds: [] },
    ]),
  );
  const gateway = createGateway(
    {
      ...withoutIndex,
      db: index.db,
      store: async () => store.db,
      config: {
        ...parseEnvironment({ NODE_ENV: "test" }),
        chainId: CHAIN_ID,
        contracts,
        cursorSecret: async () => "a secret for tests",
        listed,
      },
      head: async () => ({
        historyDone: true,
        isComplete: true,
        block: 1n,
        timestamp: market.now,
        builtBlock: 1n,
        revision: "1",
      }),
      clock: async () => clockAt(market.now),
    },
    pino({ level: "silent" }),
  );
  return {
    /** Requests JSON, whatever its status. */
    async get(path: string): Promise<unknown> {
      return (await gateway.request(path)).json();
    },
    async close() {
      await store.close();
      await index.close();
    },
  };
}

type Pool = ReturnType<typeof recordedIndex>["pool"];

async function savePrices(pool: Pool, market: Market): Promise<void> {
  await pool.query("DELETE FROM offchain.token_price WHERE chain_id = $1", [CHAIN_ID]);
  const rows = [...market.listed].flatMap(([token, { decimals }]) =>
    market.facts.hours.flatMap((hour) => {
      const price = market.priceOf(token, hour);
      return price === undefined
        ? []
        : [{ token, hour: String(hour), price: price === null ? null : `${price}e-8`, decimals }];
    }),
  );
  await pool.query(
    `INSERT INTO offchain.token_price (chain_id, address, hour, price, unit_price)
     SELECT ${CHAIN_ID}, token, hour, price::numeric, price::numeric * ('1e-' || decimals)::numeric
     FROM json_to_recordset($1) AS row(token text, hour bigint, price text, decimals int)`,
    [JSON.stringify(rows)],
  );
}

async function saveBids(pool: Pool, { facts }: Market, bids: readonly OffchainBid[]): Promise<void> {
  await pool.query("DELETE FROM offchain.bid WHERE chain_id = $1", [CHAIN_ID]);
  for (const bid of bids) {
    const hash = facts.intents.find(({ intentId }) => intentId === bid.intentId)?.intentHash;
    await pool.query(
      `INSERT INTO offchain.bid (number, chain_id, intent_hash, intent_id, solver, amount_in, amount_out, fee, valid_until, status, created_at)
       OVERRIDING SYSTEM VALUE VALUES ($1, ${CHAIN_ID}, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        String(bid.number),
        hash,
        bid.intentId,
        bid.solver,
        ...[bid.amountIn, bid.amountOut, bid.fee, bid.validUntil].map(String),
        bid.status,
        String(bid.createdAt),
      ],
    );
  }
}
