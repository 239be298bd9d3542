import pino from "pino";
import { createConfig } from "ponder";
import { publishIndexerHead } from "./api/store/publish-head";
import { protocolAbis } from "./config/contracts";
import { parseEnvironment, requireDatabaseUrl } from "./config/environment";
import { LOCAL_CHAIN_ID } from "./config/networks";
import { reasonOf } from "./rpc/json-rpc";
import { rpcTimes, rpcTransport } from "./rpc/transport";

const environment = parseEnvironment(process.env);
const { chainId, rpcUrls, startBlock, contracts } = environment.network();

const isLocal = chainId === LOCAL_CHAIN_ID;

/** A local chain mines at once and costs nothing to ask; public ones have a block every second or slower. */
const pollingInterval = environment.pollingIntervalMs ?? (isLocal ? 100 : 1_000);

const databaseUrl = requireDatabaseUrl(environment);
const log = pino({ level: environment.logLevel });

const rpc = rpcTransport({
  urls: rpcUrls,
  webSocketUrls: environment.rpcWebSocketUrls,
  intervalMs: pollingInterval,
  ...rpcTimes(isLocal),
  onFollow: (head) =>
    publishIndexerHead({
      databaseUrl,
      chainId,
      head,
      onError: (error) => log.debug({ err: error }, "the chain's head could not be published"),
    }),
  onNodeChange: ({ host, away, error }) =>
    away ? log.warn({ host, reason: reasonOf(error) }, "RPC node is away") : log.info({ host }, "RPC node is back"),
});

export default createConfig({
  database: { kind: "postgres", connectionString: databaseUrl },
  chains: { protocol: { id: chainId, rpc, pollingInterval } },
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
