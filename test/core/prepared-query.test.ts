import { eq, getTableColumns, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Placeholders, preparedQuery } from "../../api/indexed/prepared-query";
import { fillProof, intent } from "../../ponder.schema";
import { sampleStack } from "../support/shared-stack";

describe("a prepared query", () => {
  let pool: pg.Pool;
  let db: ReturnType<typeof drizzle>;

  beforeAll(async () => {
    const { databaseUrl } = await sampleStack();
    pool = new pg.Pool({ connectionString: databaseUrl, options: "-c search_path=intentry_test" });
    db = drizzle(pool, { casing: "snake_case" });
  }, 180_000);
  afterAll(() => pool?.end());

  it("returns exact numbers, and null for a joined table without a row", async () => {
    const largest = 2n ** 256n - 1n;
    const find = preparedQuery((database, { status }: Placeholders<{ status: string }>) =>
      database
        .select({
          id: intent.intentId,
          type: intent.intentType,
          largest: sql`${sql.raw(String(largest))}::numeric(78)`.mapWith(intent.intentId),
          proof: getTableColumns(fillProof),
        })
        .from(intent)
        .leftJoin(fillProof, eq(fillProof.intentId, intent.intentId))
        .where(eq(intent.status, status))
        .orderBy(intent.intentId),
    );
    const [open] = await find(db, { status: "OPEN" });
    expect(open).toEqual({ id: expect.any(BigInt), type: 0, largest, proof: null });
    const [filled] = await find(db, { status: "FILLED" });
    expect(filled).toMatchObject({ largest, proof: { intentId: filled?.id, attestationId: expect.any(BigInt) } });
  });

  it("is built once, and runs with other values each time", async () => {
    let built = 0;
    const find = preparedQuery((database, { id }: Placeholders<{ id: bigint }>) => {
      built++;
      return database.select({ id: intent.intentId }).from(intent).where(eq(intent.intentId, id));
    });
    expect(await find(db, { id: 1n })).toEqual([{ id: 1n }]);
    expect(await find(db, { id: 2n })).toEqual([{ id: 2n }]);
    expect(await find(db, { id: 2n ** 256n - 1n })).toEqual([]);
    expect(built).toBe(1);
  });
});
