import { pino } from "pino";
import { clockAt } from "../../api/core/clock";
import { createGateway } from "../../api/gateway";
import { followHead } from "../../api/indexed/head";
import { openStore } from "../../api/offchain/open";
import type { Context } from "../../api/operations/context";
import { parseEnvironment } from "../../config/environment";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { startPostgres } from "../../test/support/postgres-server";
import { type RecordedIndex, recordedIndex } from "../../test/support/recorded-index";
import { createLargeIndex } from "../large-index";
import type { RowCounts } from "../many-rows";
import { NOW } from "../row-values";

/** Reads of the index and the store only. */
export const unused = async (): Promise<never> => {
  throw new Error("This read needs the database only");
};

export type LargeGateway = {
  index: RecordedIndex;
  store: Context["store"];
  request: (path: string) => Promise<Response>;
};

/** Runs an action on a gateway without a chain, on a large index with recorded queries. */
export async function withLargeGateway(
  {
    schema,
    rowsOf,
    tokens,
    listed = new Map(),
  }: {
    schema: string;
    rowsOf: RowCounts;
    tokens: (store: Context["store"]) => Context["tokens"];
    listed?: Context["config"]["listed"];
  },
  act: (gateway: LargeGateway) => Promise<void>,
): Promise<void> {
  const postgres = await startPostgres();
  const closing: (() => Promise<unknown>)[] = [postgres.stop];
  try {
    const databaseUrl = await postgres.createDatabase("plans");
    const index = recordedIndex(databaseUrl, schema);
    closing.push(index.close);
    const contracts = await createLargeIndex(index.pool, databaseUrl, schema, rowsOf);
    const { db, close } = await openStore({ databaseUrl, onIdleError: console.error });
    closing.push(close);
    const store = async () => db;
    const gateway = createGateway(
      {
        db: index.db,
        clients: { chain: { getCode: unused, verifyTypedData: unused } },
        config: {
          ...parseEnvironment({}),
          chainId: LOCAL_CHAIN_ID,
          contracts,
          cursorSecret: async () => "bench",
          listed,
        },
        simulate: unused,
        store,
        tokens: tokens(store),
        payments: undefined,
        events: { subscribe: unused },
        portfolio: { chains: [], snapshot: unused },
        head: followHead(index.db).read,
        readiness: unused,
        clock: async () => clockAt(NOW),
      },
      pino({ level: "silent" }),
    );
    await act({ index, store, request: async (path) => gateway.request(path) });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}
