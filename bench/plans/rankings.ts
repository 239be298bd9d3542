import { nativeOf } from "../../api/tokens/lists";
import { createTokens } from "../../api/tokens/tokens";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { listedTokens, rankingPaths, savePrices } from "../listed-tokens";
import { unused, withLargeGateway } from "./large-gateway";
import { planOf, queriesOf } from "./lists";

const SCHEMA = "intentry_plans";

/**
 * The most rows that a ranking may read, whatever the number of rows: those of the hours of a window, or of the hours of the
 * candidates of all time, with their prices.
 */
const MAX_ROWS = 400_000;

/** Prints the query plans of rankings and records of participants, on an index with this many rows in each table. */
export async function planRankings(rows: number): Promise<string[]> {
  const problems: string[] = [];
  await withLargeGateway(
    {
      schema: SCHEMA,
      rowsOf: () => rows,
      listed: listedTokens,
      tokens: (store) =>
        createTokens({
          chainId: LOCAL_CHAIN_ID,
          listed: listedTokens,
          native: nativeOf(LOCAL_CHAIN_ID),
          read: unused,
          store,
          onError: console.error,
        }),
    },
    async ({ index, request }) => {
      await savePrices(index.pool);
      const paths = { analytics: "/analytics/commerce", ...rankingPaths(1, rows) };
      for (const [title, path] of Object.entries(paths)) {
        const queries = await queriesOf(index, async () => {
          const response = await request(path);
          if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`);
        });
        for (const query of queries) {
          const { nodes, scanned, rowsRead, milliseconds } = await planOf(index, query);
          const line = `${title}: ${nodes}; ${rowsRead} rows, ${milliseconds.toFixed(1)} ms`;
          console.log(line);
          if (scanned.length > 0) problems.push(`sequential scan: ${line}`);
          else if (rowsRead > MAX_ROWS) problems.push(`too many rows read: ${line}`);
        }
      }
    },
  );
  return problems;
}
