import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { followHead } from "../../api/indexed/head";

const checkpointAt = (block: number) =>
  `1800000000${"1".padStart(16, "0")}${String(block).padStart(16, "0")}`.padEnd(75, "0");

describe("the head of the index", () => {
  it("is read again if another server is used before its answer arrives, since that one may be behind", async () => {
    const blocks = [101, 100];
    let source = "primary";
    const query = async () => {
      // The process changes to a replica while the primary answers.
      source = "replica";
      return { rows: [["1", checkpointAt(blocks.shift() ?? 0), "revision"]] };
    };
    const served: string[] = [];
    const head = followHead(drizzle({ query } as unknown as pg.Pool), {
      source: () => source,
      served: (checkpoint) => served.push(checkpoint),
    });
    expect((await head.read()).block).toBe(100n);
    expect(served).toEqual([checkpointAt(100)]);
  });
});
