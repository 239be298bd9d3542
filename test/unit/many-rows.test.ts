import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import { largeTables, tables } from "../../bench/many-rows";
import * as schema from "../../ponder.schema";

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The tables of the index, with the columns that every row needs. */
const required = Object.values(schema).flatMap((table) => {
  if (!(table instanceof PgTable)) return [];
  const { name, columns } = getTableConfig(table);
  const needed = columns.filter((column) => column.notNull && !column.hasDefault);
  return [{ name, columns: needed.map((column) => snakeCase(column.name)) }];
});

describe("the generated rows of benchmarks", () => {
  it("fill every table of the index", () => {
    expect([...largeTables].sort()).toEqual(required.map(({ name }) => name).sort());
  });

  it.each(required.filter(({ name }) => name !== "open_selection"))(
    "have every required column of $name",
    ({ name, columns }) => {
      expect(Object.keys(tables[name] ?? {})).toEqual(expect.arrayContaining(columns));
    },
  );
});
