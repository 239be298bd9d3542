import pino from "pino";
import { createConfig } from "ponder";
import { zeroAddress } from "viem";
import { type ContractName, protocolAbis } from "./config/contracts";
import { parseEnvironment, requireDatabaseUrl } from "./config/environment";
import { DATABASE_LOST, REORG_BEYOND_FINALITY } from "./config/exit-codes";
import { LOCAL_CHAIN_ID } from "./config/networks";
import { reorgSentence } from "./config/reindex";
import { rpcTimes } from "./rpc/follow-head";
import { reasonOf } from "./rpc/json-rpc";
import { publishIndexerHead } from "./rpc/publish-head";
import { onLostConnection } from "./workarounds/lost-connection";
import { rpcTransport } from "./workarounds/rpc-transport";
import { exitAfterUnrecoverableReorg } from "./workarounds/unrecoverable-reorg";

const environment = parseEnvironment(process.env);
const { chainId, rpcUrls, startBlock, startBlocks, contracts } = environment.network();

const isLocal = chainId === LOCAL_CHAIN_ID;

/** A local chain mines immediately and its requests are free. Public chains have a block time of 1 s or more. */
const pollingInterval = isLocal ? 100 : 1_000;

const databaseUrl = requireDatabaseUrl(environment);
const log = pino({ level: environment.logLevel });

onLostConnection((error) => {
  log.error({ err: error }, "the connection to the database was lost; the indexer must restart");
  process.exit(DATABASE_LOST);
});

exitAfterUnrecoverableReorg(REORG_BEYOND_FINALITY, () => log.error(reorgSentence(environment.networkName)));

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
      onFailure: (error) => log.warn({ err: error }, "failed to publish the chain's head; will retry"),
      onRecovery: () => log.info("the chain's head is published again"),
    }),
  onNodeChange: ({ host, away, error }) =>
    away ? log.warn({ host, reason: reasonOf(error) }, "RPC node is away") : log.info({ host }, "RPC node is back"),
});

/** The Ponder configuration of a contract. The name is generic, so that each contract keeps the types of its own events. */
const contract = <Name extends ContractName>(name: Name) => {
  const address = contracts[name];
  const source = { chain: "protocol", abi: protocolAbis[name], startBlock: startBlocks?.[name] ?? startBlock } as const;
  // A contract that the deployment lacks: nothing can emit events at the zero address, and one block is searched.
  if (address === undefined) return { ...source, address: zeroAddress, endBlock: source.startBlock };
  return { ...source, address, endBlock: undefined };
};

export default createConfig({
  database: { kind: "postgres", connectionString: databaseUrl },
  chains: { protocol: { id: chainId, rpc, pollingInterval } },
  contracts: {
    AgentRegistry: contract("AgentRegistry"),
    IntentBook: contract("IntentBook"),
    PolicyModule: contract("PolicyModule"),
    AttestationRegistry: contract("AttestationRegistry"),
    SolverRegistry: contract("SolverRegistry"),
    AttestorRegistry: contract("AttestorRegistry"),
    CommerceRegistry: contract("CommerceRegistry"),
    SettlementAdapter: contract("SettlementAdapter"),
  },
});
