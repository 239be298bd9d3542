import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableColumns } from "drizzle-orm";
import type { Readiness } from "../../api/readiness";
import { localDeploymentFile } from "../../config/networks";
import { type LocalChain, startChain } from "../../dev/chain";
import { type Child, waitFor } from "../../dev/child";
import { deploy } from "../../dev/deploy";
import { indexerReady, startIndexer } from "../../dev/indexer";
import { freePorts } from "../../dev/ports";
import { startPostgres } from "../../dev/postgres";
import { type Protocol, protocolOn } from "../../dev/protocol";
import * as schema from "../../ponder.schema";

export type Database = "pglite" | "postgres";

type Tables = { [Name in keyof typeof schema as (typeof schema)[Name] extends { $inferSelect: object } ? Name : never]: (typeof schema)[Name] };
export type TableName = keyof Tables;

/** A row as GraphQL gives it: bigints as decimal strings, the rest as it is. */
export type Row<Name extends TableName> = {
  [Column in keyof Tables[Name]["$inferSelect"]]: Wire<Tables[Name]["$inferSelect"][Column]>;
};
type Wire<Value> = Value extends bigint ? string : Value;

export const tableNames = Object.keys(schema).filter(
  (name): name is TableName => !Array.isArray(schema[name as keyof typeof schema]),
);

export type Stack = Protocol & {
  chain: LocalChain;
  apiUrl: string;
  ponderUrl: string;
  /** The environment the indexer runs in. */
  env: NodeJS.ProcessEnv;
  stateFolder: string;
  /** All rows of a table, in the order of its primary key, once the index has reached the chain's head. */
  rows: <Name extends TableName>(name: Name) => Promise<Row<Name>[]>;
  /** Every table's rows: what two indexes of one chain must agree on. */
  allRows: () => Promise<Record<TableName, unknown[]>>;
  /** Waits until the index has reached the chain's newest block. */
  indexed: () => Promise<void>;
  startIndexer: () => Promise<void>;
  /** Stops the indexer and returns its exit code; `signal` SIGKILL gives it no chance to tidy up. */
  stopIndexer: (signal?: "SIGTERM" | "SIGKILL") => Promise<number | null>;
  stop: () => Promise<void>;
};

type Options = {
  database?: Database;
  /** False leaves the indexer to `startIndexer`. */
  index?: boolean;
  env?: NodeJS.ProcessEnv;
  startTime?: number;
};

/** Starts the real parts on free ports and a temporary folder: anvil, the contracts, Ponder and the gateway. */
export async function startStack({ database = "pglite", index = true, env = {}, startTime }: Options = {}): Promise<Stack> {
  const [anvilPort = 0, apiPort = 0, ponderPort = 0] = await freePorts(3);
  const stateFolder = await mkdtemp(join(tmpdir(), "intentry-test-"));
  const postgres = database === "postgres" ? await startPostgres() : undefined;
  const databaseUrl = await postgres?.createDatabase("intentry");
  const chain = await startChain({ port: anvilPort, startTime });
  const contracts = await deploy(chain.client);
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const ponderUrl = `http://127.0.0.1:${ponderPort}`;
  await writeFile(
    localDeploymentFile(stateFolder),
    JSON.stringify({ rpcUrl: chain.rpcUrl, chainId: 31337, apiUrl, ponderUrl, contracts }),
  );
  const indexerEnvironment: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: "test",
    INTENTRY_DIR: stateFolder,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    ...env,
  };

  let indexer: Child | undefined;
  const running = () => {
    if (!indexer) throw new Error("The indexer is not running");
    return indexer;
  };
  const stack: Stack = {
    ...protocolOn(chain.client, contracts),
    chain,
    apiUrl,
    ponderUrl,
    env: indexerEnvironment,
    stateFolder,
    async indexed() {
      const head = await chain.client.getBlockNumber();
      await waitFor(running(), `block ${head} in the index`, async () => {
        const state = (await (await fetch(`${apiUrl}/ready`)).json()) as Readiness;
        return BigInt(state.block_number ?? 0) >= head || undefined;
      });
    },
    async rows(name) {
      await stack.indexed();
      return readTable(ponderUrl, name);
    },
    async allRows() {
      await stack.indexed();
      const all = await Promise.all(tableNames.map(async (name) => [name, await readTable(ponderUrl, name)]));
      return Object.fromEntries(all);
    },
    async startIndexer() {
      indexer = startIndexer({
        command: "start",
        ponderPort,
        apiPort,
        databaseSchema: "intentry",
        env: indexerEnvironment,
        onLine: process.env.TEST_LOG ? console.log : undefined,
      });
      await indexerReady(indexer, apiPort);
      await stack.indexed();
    },
    async stopIndexer(signal = "SIGTERM") {
      const stopping = running();
      indexer = undefined;
      await stopping.stop(signal);
      return stopping.ended;
    },
    async stop() {
      await indexer?.stop();
      await chain.child.stop();
      await postgres?.stop();
      await rm(stateFolder, { recursive: true, force: true });
    },
  };
  if (index) await stack.startIndexer();
  return stack;
}

const PAGE = 1000;
type Page<Item> = { items: Item[]; pageInfo: { hasNextPage: boolean; endCursor: string } };

/** Ponder names a GraphQL list after its table. */
const listName = (name: TableName) => `${name}s`;

async function readTable<Name extends TableName>(ponderUrl: string, name: Name): Promise<Row<Name>[]> {
  const columns = Object.keys(getTableColumns(schema[name]));
  const rows: Row<Name>[] = [];
  let after: string | null = null;
  do {
    const list = listName(name);
    const cursor: string = after === null ? "" : `, after: ${JSON.stringify(after)}`;
    const query = `{ ${list}(limit: ${PAGE}${cursor}) { items { ${columns.join(" ")} } pageInfo { hasNextPage endCursor } } }`;
    const response = await fetch(`${ponderUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    const answer = (await response.json()) as { data: Record<string, Page<Row<Name>>>; errors?: unknown };
    if (answer.errors) throw new Error(`${query}: ${JSON.stringify(answer.errors)}`);
    const page = answer.data[list];
    if (!page) throw new Error(`${query}: no list`);
    rows.push(...page.items);
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  return rows;
}
