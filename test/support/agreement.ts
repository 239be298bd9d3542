import { getTableColumns } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import * as schema from "../../ponder.schema";
import type { Protocol } from "../../stack/local/protocol";
import { activityRows } from "./agreement/activity";
import { type Rows, readChain } from "./agreement/chain";
import { commerceRows } from "./agreement/commerce";
import { eventLogRows } from "./agreement/event-log";
import { intentRows } from "./agreement/intents";
import { participantRows } from "./agreement/participants";
import { policyRows } from "./agreement/policies";
import { registryRows } from "./agreement/registries";
import { totalRows } from "./agreement/totals";
import type { IndexReader, TableName } from "./index-of";

type Stack = Protocol & IndexReader;

/**
 * Returns the differences between the index and the chain, one line each. Every table is compared, row by row and column by
 * column, with rows built only from the contracts' getters and logs.
 */
export async function differences(stack: Stack, fromBlock = 0n): Promise<string[]> {
  const [indexed, onChain] = [await stack.allRows(), await rowsOnChain(stack, fromBlock)];
  const names = Object.keys(onChain) as TableName[];
  // A total keeps its row when it returns to zero.
  const total = indexed.total.filter((row) => row.count !== 0 || row.active !== 0);
  return names.flatMap((name) => tableDifferences(name, { ...indexed, total }[name], onChain[name]));
}

/** The expected rows of every table. */
export async function rowsOnChain(stack: Omit<Protocol, "write">, fromBlock: bigint): Promise<Rows<TableName>> {
  const chain = await readChain(stack, fromBlock);
  const [registries, commerce] = [await registryRows(chain), await commerceRows(chain)];
  const [logs, intents] = [await eventLogRows(chain), await intentRows(chain)];
  return {
    ...logs,
    ...activityRows(logs.eventLog, intents.intent),
    ...registries,
    ...intents,
    ...(await policyRows(chain)),
    ...commerce,
    ...totalRows(commerce, registries.attestation),
    ...participantRows({
      logs: logs.eventLog,
      intents: intents.intent,
      fills: intents.fill,
      receipts: commerce.receipt,
    }),
  };
}

const tables = { ...schema };

type AnyRow = Record<string, unknown>;

function tableDifferences(table: TableName, indexed: readonly unknown[], onChain: readonly unknown[]): string[] {
  const keyOf = primaryKeyOf(table);
  const byKey = (rows: readonly unknown[]) => new Map((rows as AnyRow[]).map((row) => [keyOf(row), row]));
  const [actual, expected] = [byKey(indexed), byKey(onChain)];
  const missing = [...expected.keys()].filter((key) => !actual.has(key)).map((key) => `${table} ${key}: not indexed`);
  const invented = [...actual.keys()].filter((key) => !expected.has(key)).map((key) => `${table} ${key}: not on chain`);
  const changed = [...expected].flatMap(([key, row]) => {
    const found = actual.get(key);
    if (!found) return [];
    const columns = new Set([...Object.keys(row), ...Object.keys(found)]);
    return [...columns]
      .map((column) => ({ column, index: written(found[column]), chain: written(row[column]) }))
      .filter(({ index, chain }) => index !== chain)
      .map(({ column, index, chain }) => `${table} ${key}, ${column}: ${index} in the index, ${chain} on chain`);
  });
  return [...missing, ...invented, ...changed];
}

/** Returns a function that identifies a row by its primary key. */
function primaryKeyOf(table: TableName): (row: AnyRow) => string {
  const { primaryKeys, columns } = getTableConfig(tables[table]);
  const keyColumns = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const names = Object.entries(getTableColumns(tables[table]))
    .filter(([, column]) => keyColumns.some(({ name }) => name === column.name))
    .map(([name]) => name);
  return (row) => names.map((name) => String(row[name])).join("-");
}

/** A value as canonical text. Object keys are sorted, because the database doesn't keep their order. */
const written = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
