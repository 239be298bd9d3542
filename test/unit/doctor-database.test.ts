import type pg from "pg";
import { describe, expect, it } from "vitest";
import { checkClock, checkServer } from "../../stack/doctor/database";

/** A connection to a server that answers every query with this row: no test can run an old server, or change its clock. */
const connectionTo = (row: () => object) => ({ query: async () => ({ rows: [row()] }) }) as unknown as pg.Client;

describe("doctor, about the database", () => {
  it.each([
    [13, "failed"],
    [14, "ok"],
    [18, "ok"],
  ])("says of PostgreSQL %i that it is %s", async (major, status) => {
    const version = `${major}.4`;
    const client = connectionTo(() => ({ major, version, inRecovery: false, readOnly: false }));
    const finding = await checkServer(client, "db.example:5432");
    expect(finding).toMatchObject({ status, message: expect.stringContaining(`PostgreSQL ${version}`) });
    if (status === "failed") expect(finding).toMatchObject({ advice: "Upgrade it to PostgreSQL 14 or newer." });
  });

  it.each([
    [-60_000, "warning", / is (59|60)\.\d s behind this machine's\.$/],
    [60_000, "warning", / is (59|60)\.\d s ahead of this machine's\.$/],
    [0, "ok", / agree\.$/],
  ] as const)("compares clocks that differ by %i ms", async (difference, status, message) => {
    const finding = await checkClock(connectionTo(() => ({ ms: Date.now() + difference })));
    expect(finding).toMatchObject({ status, message: expect.stringMatching(message) });
  });
});
