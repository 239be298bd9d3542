import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableColumns } from "drizzle-orm";
import type { Readiness } from "../../api/monitor/readiness";
import { parseEnvironment, requireDatabaseUrl } from "../../config/environment";
import { LOCAL_CHAIN_ID, type LocalDeployment, localDeploymentFile } from "../../config/networks";
import type { TokenList } from "../../config/token-list";
import * as schemaModule from "../../ponder.schema";
import type { ChainConnection, LocalChain } from "../../stack/local/chain";
import type { Contracts } from "../../stack/local/deploy";
import { freePorts } from "../../stack/roles/ports";
import { waitFor } from "../../stack/supervision/child";
import { type IndexStack, startIndexStack } from "../../stack/supervision/index-stack";
import { historyIndexed, indexReady } from "../../stack/supervision/indexer";
import { requireBuild } from "./bundle";

const schema = { ...schemaModule };

type Tables = {
  [Name in keyof typeof schema as (typeof schema)[Name] extends { $inferSelect: object }
    ? Name
    : never]: (typeof schema)[Name];
};
export type TableName = keyof Tables;

/** A row as GraphQL returns it: bigints are decimal strings. */
export type Row<Name extends TableName> = {
  [Column in keyof Tables[Name]["$inferSelect"]]: Wire<Tables[Name]["$inferSelect"][Column]>;
};
type Wire<Value> = Value extends bigint ? string : Value;

const tableNames = Object.keys(schema).filter(
  (name): name is TableName => !Array.isArray(schema[name as keyof typeof schema]),
);

/** The project folder, and whether to reload on edits. Default: this project, without reload. */
export type Sources = { root?: string; watch?: boolean };

type Urls = { apiUrl: string; ponderUrl: string };

/** Reads an index over HTTP. */
export type IndexReader = Urls & {
  /** All rows of a table, in the order of its primary key, once the index has reached the chain's head. */
  rows: <Name extends TableName>(name: Name) => Promise<Row<Name>[]>;
  /** The rows of every table. Two indexes of one chain must agree on them. */
  allRows: () => Promise<{ [Name in TableName]: Row<Name>[] }>;
  /** Waits until the index has reached the chain's newest block. */
  indexed: () => Promise<void>;
};

/** A real index of a local chain: Ponder and the gateway, with their own processes and folder. */
export type Index = IndexReader & {
  /** The environment of the indexer and the gateway. */
  env: NodeJS.ProcessEnv;
  /** Starts the indexer and the gateway, optionally with other variables or sources. */
  startIndexer: (change?: NodeJS.ProcessEnv, otherSources?: Sources) => Promise<void>;
  /** The indexer's log since its start. */
  log: () => string;
  /** Stops the indexer and returns its exit code. */
  stopIndexer: (signal?: "SIGTERM" | "SIGKILL") => Promise<number | null>;
  /** Stops the indexer, if it runs, and removes the folder. */
  removeIndex: () => Promise<void>;
};

/** Prepares an index of the chain in the database of DATABASE_URL, by default on a free port. `startIndexer` starts it. */
export async function indexOf(
  { rpcUrl, client }: LocalChain,
  contracts: Contracts,
  env: NodeJS.ProcessEnv & { DATABASE_URL: string },
  sources: Sources = {},
  tokens?: TokenList,
  onLogLine: (line: string) => void = () => {},
): Promise<Index> {
  const [freePort = 0, ponderPort = 0] = await freePorts(2);
  const apiPort = Number(env.API_PORT ?? freePort);
  const stateFolder = await mkdtemp(join(tmpdir(), "intentry-test-"));
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const ponderUrl = `http://127.0.0.1:${ponderPort}`;
  const deployment: LocalDeployment = { rpcUrl, chainId: LOCAL_CHAIN_ID, apiUrl, ponderUrl, contracts, tokens };
  await writeFile(localDeploymentFile(stateFolder), JSON.stringify(deployment));

  let running: IndexStack | undefined;
  /** Resolves when the indexer has ended and will not be restarted. */
  let givenUp: Promise<null>;
  let lines: string[] = [];
  const indexer = () => {
    if (!running) throw new Error("The indexer is not running");
    return running.indexer.current();
  };
  const stop: IndexStack["stop"] = async (signal) => {
    await running?.stop(signal);
    running = undefined;
  };
  const ownEnv: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: "test",
    INTENTRY_DIR: stateFolder,
    API_PORT: String(apiPort),
    PONDER_PORT: String(ponderPort),
    DATABASE_SCHEMA,
    ...env,
  };
  const reader = readIndex(client, { apiUrl, ponderUrl }, (what, condition) =>
    waitFor({ ...indexer(), ended: givenUp }, what, condition),
  );
  return {
    ...reader,
    env: ownEnv,
    log: () => lines.join("\n"),
    async startIndexer(change = {}, otherSources = {}) {
      lines = [];
      const onLine = (line: string) => {
        lines.push(line);
        onLogLine(line);
        if (process.env.TEST_LOG) console.log(line);
      };
      const variables = { ...ownEnv, ...change };
      const environment = parseEnvironment(variables);
      let giveUp = () => {};
      givenUp = new Promise((resolve) => {
        giveUp = () => resolve(null);
      });
      await requireBuild(otherSources.root ?? sources.root);
      running = await startIndexStack({
        ...sources,
        ...otherSources,
        environment,
        databaseUrl: requireDatabaseUrl(environment),
        env: variables,
        onLine,
        onNotice: onLine,
        onGivenUp(error) {
          onLine(error.message);
          giveUp();
        },
      });
      // On an index that is up to date the gateway is ready before Ponder, whose GraphQL the tests read.
      await historyIndexed(running.indexer.current(), ponderPort);
      await indexReady(running.indexer.current(), apiUrl, await client.getBlockNumber());
    },
    async stopIndexer(signal = "SIGTERM") {
      const stopping = indexer();
      await stop(signal);
      return stopping.ended;
    },
    async removeIndex() {
      await stop();
      await rm(stateFolder, { recursive: true, force: true });
    },
  };
}

type Wait = (what: string, condition: () => Promise<true | undefined>) => Promise<unknown>;

/** Reads a running index. `wait` waits until the condition returns a value. */
export function readIndex(client: ChainConnection, { apiUrl, ponderUrl }: Urls, wait: Wait): IndexReader {
  const indexed = async () => {
    const head = await client.getBlock();
    await wait(`block ${head.number} in the index`, async () => {
      const state = (await (await fetch(`${apiUrl}/ready`)).json()) as Readiness;
      return BigInt(state.block_number ?? 0) >= head.number || undefined;
    });
  };
  return {
    apiUrl,
    ponderUrl,
    indexed,
    async rows(name) {
      await indexed();
      return readTable(ponderUrl, name);
    },
    async allRows() {
      await indexed();
      const all = await Promise.all(tableNames.map(async (name) => [name, await readTable(ponderUrl, name)]));
      return Object.fromEntries(all);
    },
  };
}

export const DATABASE_SCHEMA = "intentry_test";

const PAGE = 1000;
type Page<Item> = { items: Item[]; pageInfo: { hasNextPage: boolean; endCursor: string } };

async function readTable<Name extends TableName>(ponderUrl: string, name: Name): Promise<Row<Name>[]> {
  const columns = Object.keys(getTableColumns(schema[name])).join(" ");
  const list = `${name}s`; // as Ponder names it
  const rows: Row<Name>[] = [];
  let after = "";
  for (;;) {
    const query = `{ ${list}(limit: ${PAGE}${after}) { items { ${columns} } pageInfo { hasNextPage endCursor } } }`;
    const response = await fetch(`${ponderUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    const answer = (await response.json()) as { data?: Record<string, Page<Row<Name>>>; errors?: unknown };
    const page = answer.data?.[list];
    if (!page) throw new Error(`${query}: ${JSON.stringify(answer.errors)}`);
    rows.push(...page.items);
    if (!page.pageInfo.hasNextPage) return rows;
    after = `, after: ${JSON.stringify(page.pageInfo.endCursor)}`;
  }
}
