import { pino } from "pino";
import { type Address, HttpRequestError, zeroAddress } from "viem";
import { createSimulate, type Simulate, type SimulationMethod } from "../../../api/actions/simulate";
import { clockAt } from "../../../api/core/clock";
import { createGateway } from "../../../api/gateway";
import type { Store } from "../../../api/offchain/open";
import type { Context } from "../../../api/operations/context";
import type { TokenFacts } from "../../../api/tokens/contract";
import type { Token, Tokens } from "../../../api/tokens/token";
import { parseEnvironment } from "../../../config/environment";
import { LOCAL_CHAIN_ID } from "../../../config/networks";
import type { ListedToken } from "../../../config/token-list";
import { address } from "../../../config/values";
import { recordedIndex } from "../../support/recorded-index";
import type { SampleStack } from "../../support/shared-stack";
import type { Prepared } from "./perform";

/** The schema that the shared stacks use. */
const SCHEMA = "intentry_test";

const unused = () => Promise.reject(new Error("Unexpected access"));

/** A node without some methods that counts its requests. */
export function nodeWithout(client: SampleStack["client"], missing: readonly string[]) {
  const requests: string[] = [];
  const simulate = createSimulate(async () => ({
    request: (async ({ method, params }: { method: string; params: unknown }) => {
      requests.push(method);
      // anvil responds to unknown methods as nodes do.
      const sent = missing.includes(method) ? `${method}Missing` : method;
      return client.request({ method: sent, params } as never);
    }) as never,
  }));
  return { simulate, requests };
}

/** The methods that a node must lack so that another one is used. */
export const missingFor: Readonly<Record<SimulationMethod, string[]>> = {
  eth_simulateV1: [],
  state_overrides: ["eth_simulateV1"],
  eth_call: ["eth_simulateV1"],
};

/** A node that does not answer. */
export const away: Simulate = () => Promise.reject(new HttpRequestError({ url: "http://127.0.0.1:1" }));

/** Gateways over the sample chain in this process, with a simulation and contracts of tokens of the test's own. */
export async function gatewaysOn(stack: SampleStack, contracts: ReadonlyMap<Address, TokenFacts> = new Map()) {
  const index = recordedIndex(stack.databaseUrl, SCHEMA);
  const { timestamp } = await stack.client.getBlock();
  const dollar: ListedToken = {
    address: address.parse(stack.contracts.TestDollar),
    ...{ symbol: "tUSD", name: "Test Dollar", decimals: 6, logo: null, stablecoin: true, feeds: [] },
  };
  const listed = new Map([[dollar.address, dollar]]);
  const store = async () => index.db as Store["db"];
  const tokenAt = (token: Address): Token => {
    if (token === zeroAddress) return { address: token, symbol: "ETH", name: "Ether", decimals: 18, source: "list" };
    const known = listed.get(token);
    if (known) return { ...known, source: "list" };
    const facts = contracts.get(token);
    return facts
      ? { address: token, ...facts, source: "contract" }
      : { address: token, symbol: null, name: null, decimals: null, source: "unknown" };
  };
  const tokens: Tokens = {
    find: async (addresses) => new Map(addresses.map((token) => [token, tokenAt(token)])),
    named: async () => [],
  };
  const gatewayWith = (simulate: Simulate, settings: Partial<Context["config"]>) =>
    createGateway(
      {
        db: index.db,
        clients: { chain: stack.client },
        simulate,
        config: {
          ...parseEnvironment({ NODE_ENV: "test" }),
          chainId: LOCAL_CHAIN_ID,
          contracts: Object.fromEntries(
            Object.entries(stack.contracts).map(([name, at]) => [name, at.toLowerCase()]),
          ) as never,
          cursorSecret: async () => "a secret for tests",
          listed,
          ...settings,
        },
        tokens,
        store,
        payments: undefined,
        events: { subscribe: unused },
        portfolio: { chains: [], snapshot: unused },
        head: async () => ({
          historyDone: true,
          isComplete: true,
          block: 1n,
          timestamp,
          builtBlock: 1n,
          revision: "1",
        }),
        readiness: unused,
        clock: async () => clockAt(timestamp),
      },
      pino({ level: "silent" }),
    );
  return {
    now: timestamp,
    close: index.close,
    /** Prepares actions with a simulation and settings. */
    preparing(simulate: Simulate, settings: Partial<Context["config"]> = {}) {
      const gateway = gatewayWith(simulate, settings);
      return async (name: string, input: object): Promise<{ status: number; body: Prepared & { error?: string } }> => {
        const body = JSON.stringify(input, (_, value) => (typeof value === "bigint" ? String(value) : value));
        const headers = { "content-type": "application/json" };
        const response = await gateway.request(`/actions/${name}`, { method: "POST", headers, body });
        return { status: response.status, body: (await response.json()) as Prepared };
      };
    },
  };
}
