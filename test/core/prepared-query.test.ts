import { eq, getTableColumns, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Placeholders, preparedQuery } from "../../api/database/prepared-query";
import { attestationSchema } from "../../api/store/schema";
import { agent, fill, fillProof, intent, solverActivity, total } from "../../ponder.schema";
import { sampleStack } from "../support/shared-stack";

/** Replaces all bigints by decimal text. */
const asText = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member)));

describe("a prepared query", () => {
  let pool: pg.Pool;
  let db: ReturnType<typeof drizzle>;

  beforeAll(async () => {
    const { databaseUrl } = await sampleStack();
    pool = new pg.Pool({ connectionString: databaseUrl, options: "-c search_path=intentry_test" });
    db = drizzle(pool, { casing: "snake_case" });
  }, 180_000);
  afterAll(() => pool?.end());

  const selectIntents = () =>
    db
      .select({ intent: getTableColumns(intent), fill: getTableColumns(fill), proof: getTableColumns(fillProof) })
      .from(intent)
      .leftJoin(fill, eq(fill.intentId, intent.intentId))
      .leftJoin(fillProof, eq(fillProof.intentId, fill.intentId))
      .orderBy(intent.intentId);

  it.each([
    ["joined tables, some without a row", selectIntents],
    ["a table", () => db.select().from(agent).orderBy(agent.agentId)],
    ["counts and sums", () => db.select().from(total).orderBy(total.subject, total.key)],
    ["times", () => db.select().from(attestationSchema).orderBy(attestationSchema.name)],
    [
      "fields of several tables, and expressions",
      () =>
        db
          .select({
            id: intent.intentId,
            fills: solverActivity.fills,
            isOpen: sql<boolean>`${intent.status} = 'OPEN'`,
            bids: sql<number>`(SELECT count(*) FROM bid WHERE bid.intent_id = ${intent.intentId})`.mapWith(Number),
            named: sql<string>`'x'`.as("named"),
          })
          .from(intent)
          .leftJoin(solverActivity, eq(solverActivity.solver, intent.selectedSolver))
          .orderBy(intent.intentId),
    ],
  ])("has the rows of Drizzle with numbers as text: %s", async (_, select) => {
    const expected = await (select() as PromiseLike<unknown[]>);
    const rows = await preparedQuery(() => select() as PromiseLike<Record<string, unknown>[]>)(db, {});
    expect(expected.length).toBeGreaterThan(2);
    expect(asText(rows)).toEqual(asText(expected));
    expect(JSON.stringify(rows)).toBe(JSON.stringify(asText(expected)));
  });

  it("is built once, and runs with other values each time", async () => {
    let built = 0;
    const find = preparedQuery((database, { id }: Placeholders<{ id: bigint }>) => {
      built++;
      return database.select({ id: intent.intentId }).from(intent).where(eq(intent.intentId, id));
    });
    expect(await find(db, { id: 1n })).toEqual([{ id: "1" }]);
    expect(await find(db, { id: 2n })).toEqual([{ id: "2" }]);
    expect(await find(db, { id: 2n ** 256n - 1n })).toEqual([]);
    expect(built).toBe(1);
  });
});
