import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { pino } from "pino";
import type { Address } from "viem";
import type { Config } from "../../../api/core/context";
import { createGateway } from "../../../api/gateway";
import { openStore, type Store } from "../../../api/offchain/open";
import { payment } from "../../../api/offchain/tables";
import type { Payments } from "../../../api/payments/configured";
import { localFacilitator } from "../../../api/payments/facilitators/local";
import { remoteFacilitator } from "../../../api/payments/facilitators/remote";
import { createSettlementFollower } from "../../../api/payments/follow-settlements";
import type { Portfolio } from "../../../api/portfolio/portfolio";
import { snapshotOf } from "../../../api/portfolio/snapshot";
import { LOCAL_CHAIN_ID } from "../../../config/networks";
import type { Terms } from "../../../config/terms";
import { actor, startChain } from "../../../stack/local/chain";
import { deploy } from "../../../stack/local/deploy";
import { protocolOn } from "../../../stack/local/protocol";
import { freePorts } from "../../../stack/roles/ports";
import { createTestDatabase } from "../database";
import { placeUsdc } from "../placed-contracts";
import { withoutIndex } from "../without-index";
import { startFacilitatorServer } from "./facilitator-server";

export const PRICE = 10_000n;
export const payee = actor(18).address;

/** A fake portfolio that counts its snapshots, and can fail or be delayed. */
function countingPortfolio() {
  const state = { runs: 0, failing: false, takesMs: 0, held: Promise.resolve() };
  const portfolio: Portfolio = {
    chains: ["base", "ethereum", "local"],
    async snapshot(address, chains) {
      state.runs++;
      await state.held;
      await new Promise((resolve) => setTimeout(resolve, state.takesMs));
      if (state.failing) throw new Error("node http://secret.example/key is away");
      const readings = chains.map((chain) => ({
        ...{ chain, ok: true as const, complete: true },
        ...{ holdings: [], activity: [], warnings: [] },
      }));
      return snapshotOf(address, new Date(), "rpc", readings);
    },
  };
  /** Delays every snapshot until the returned function is called. */
  const hold = (): (() => void) => {
    let release = () => {};
    state.held = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  };
  return { state, hold, portfolio };
}

/** A client that counts its requests by method. */
function countRequests<Client extends object>(client: Client) {
  const requests: Record<string, number> = {};
  const counted = new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      requests[String(name)] = (requests[String(name)] ?? 0) + 1;
      return value.bind(target);
    },
  });
  return { counted, requests };
}

/**
 * A gateway with a real store, a real chain and a real facilitator behind HTTP, without an index. Several gateways can share
 * one store.
 */
export async function openShop({
  gateways = 1,
  chainId = LOCAL_CHAIN_ID,
  startTime,
  minedMs,
}: {
  gateways?: number;
  /** On the chain id of a public network, the payment token is at USDC's address and has its EIP-712 domain. */
  chainId?: number;
  startTime?: number;
  /** How long the facilitator waits for a block. */
  minedMs?: number;
} = {}) {
  const [port = 0] = await freePorts(1);
  const chain = await startChain({ port, chainId, ...(startTime !== undefined && { startTime }) });
  const network = `eip155:${chainId}` as const;
  const isLocal = chainId === LOCAL_CHAIN_ID;
  const deployed = await deploy(chain.client);
  const contracts = isLocal ? deployed : { ...deployed, TestDollar: await placeUsdc(chain.client, network) };
  const { write, read } = protocolOn(chain.client, contracts);
  const database = await createTestDatabase("shop");
  const terms: Terms = {
    network,
    payTo: payee.toLowerCase() as Address,
    price: "$0.01",
    asset: {
      address: contracts.TestDollar.toLowerCase() as Address,
      ...(isLocal ? { name: "Test Dollar", version: "1" } : { name: "USDC", version: "2" }),
      decimals: 6,
    },
  };
  const facilitator = await startFacilitatorServer(localFacilitator(chain.rpcUrl, terms.network, minedMs));
  const { state, hold, portfolio } = countingPortfolio();
  const { counted, requests } = countRequests(chain.client);
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
  const config: Config = {
    chainId,
    contracts,
    x402DevBypass: false,
    publicBaseUrl: undefined,
    trustProxy: false,
    writeTokens: [],
    metricsToken: undefined,
    openMetadata: false,
    devHelpers: false,
    writesPerMinute: undefined,
    storedBytesPerDay: undefined,
    rejectedPaymentsPerMinute: undefined,
    cursorSecret: async () => "a secret for tests",
    listed: new Map(),
    isDevelopment: true,
    checkAnswers: true,
    eventHeartbeatMs: 15_000,
  };
  const payments: Payments = {
    terms,
    chain: counted,
    facilitator: remoteFacilitator(facilitator.url, terms.network, "Bearer key"),
  };
  const stores: Store[] = [];
  const openGateway = async (change: Partial<Config> = {}, isOffered = true) => {
    const store = await openStore({ databaseUrl: database.url, onIdleError: () => {} });
    stores.push(store);
    const gateway = createGateway(
      {
        ...withoutIndex,
        portfolio,
        payments: isOffered ? payments : undefined,
        store: async () => store.db,
        config: { ...config, ...change },
      },
      log,
    );
    const server = createServer(
      { maxHeaderSize: 256 * 1024, keepAliveTimeout: 75_000 },
      getRequestListener(gateway.fetch),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    servers.push(server);
    return `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
  };
  const servers: ReturnType<typeof createServer>[] = [];
  const urls: string[] = [];
  for (let number = 0; number < gateways; number++) urls.push(await openGateway());

  /** The gateway's store. */
  const db = () => {
    if (!stores[0]) throw new Error("No store is open");
    return stores[0].db;
  };

  return {
    chain,
    contracts,
    write,
    offered: payments,
    facilitator,
    /** The gateways' requests to the payment network, by method. */
    requests,
    databaseUrl: database.url,
    state,
    hold,
    urls,
    url: urls[0] ?? "",
    openGateway,
    log: () => lines.join(""),
    fund: (account: Address, amount: bigint) => write(actor(0), "TestDollar", "mint", [account, amount]),
    balanceOf: (account: Address) => read("TestDollar", "balanceOf", [account]),
    /** The payments in the store. */
    payments: async () => (await stores[0]?.db.select().from(payment)) ?? [],
    db,
    /** Follows settled payments. Tests run its rounds. */
    follower: createSettlementFollower(payments, async () => db(), log),
    async close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      await facilitator.stop();
      for (const store of stores) await store.close();
      await chain.child.stop();
      await database.drop();
    },
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;
