import { createConfig } from "ponder";
import { protocolAbis } from "./config/contracts";
import { parseEnvironment, requireDatabaseUrl } from "./config/environment";
import { LOCAL_CHAIN_ID } from "./config/networks";
import { steadyHead } from "./src/lib/steady-head";

const environment = parseEnvironment(process.env);
const { chainId, rpcUrls, startBlock, contracts } = environment.network();

/**
 * Ponder begins each RPC URL at 20 requests a second and raises that slowly, as a public provider needs. A local chain
 * has no such limit: named several times over, it is indexed several times faster.
 */
const LOCAL_LANES = 16;
const isLocal = chainId === LOCAL_CHAIN_ID;
const lanes = isLocal
  ? rpcUrls.flatMap((url) => Array.from({ length: LOCAL_LANES }, (_, lane) => `${url}/?lane=${lane}`))
  : rpcUrls;

declare global {
  /** The process's own fetch, which is to be had again when this file is read anew. */
  var intentryFetch: typeof fetch | undefined;
}
globalThis.intentryFetch ??= globalThis.fetch;
// Ponder has no other way to stand between it and its nodes that leaves it several of them.
globalThis.fetch = steadyHead(globalThis.intentryFetch, lanes);

/** A local chain mines at once and costs nothing to ask; public ones have a block every second or slower. */
const pollingInterval = environment.pollingIntervalMs ?? (isLocal ? 100 : 1_000);

export default createConfig({
  database: { kind: "postgres", connectionString: requireDatabaseUrl(environment) },
  chains: { protocol: { id: chainId, rpc: lanes, pollingInterval } },
  contracts: {
    AgentRegistry: { chain: "protocol", abi: protocolAbis.AgentRegistry, address: contracts.AgentRegistry, startBlock },
    IntentBook: { chain: "protocol", abi: protocolAbis.IntentBook, address: contracts.IntentBook, startBlock },
    PolicyModule: { chain: "protocol", abi: protocolAbis.PolicyModule, address: contracts.PolicyModule, startBlock },
    AttestationRegistry: {
      chain: "protocol",
      abi: protocolAbis.AttestationRegistry,
      address: contracts.AttestationRegistry,
      startBlock,
    },
    SolverRegistry: {
      chain: "protocol",
      abi: protocolAbis.SolverRegistry,
      address: contracts.SolverRegistry,
      startBlock,
    },
    AttestorRegistry: {
      chain: "protocol",
      abi: protocolAbis.AttestorRegistry,
      address: contracts.AttestorRegistry,
      startBlock,
    },
    CommerceRegistry: {
      chain: "protocol",
      abi: protocolAbis.CommerceRegistry,
      address: contracts.CommerceRegistry,
      startBlock,
    },
  },
});
