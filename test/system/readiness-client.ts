import pg from "pg";
import { expect } from "vitest";
import type { Readiness } from "../../api/monitor/readiness";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import type { Index } from "../support/index-of";
import type { Stack } from "../support/stack";

const agent = actor(2);

/** How long a state may take to be reported. */
export const SETTLED = { timeout: 60_000, interval: 250 };

/** Requests to an index, its chain and its database. `parts` is called with each of them, because a hook starts the parts. */
export const readinessClient = (parts: () => { stack: Stack; index: Index }) => {
  const get = (path: string) => fetch(`${parts().index.apiUrl}${path}`);
  return {
    get,
    register: (name: string) =>
      parts().stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]),
    async query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
      // Also while the database is read-only for other connections.
      const options = "-c default_transaction_read_only=off";
      const client = new pg.Client({ connectionString: parts().stack.databaseUrl, options });
      await client.connect();
      try {
        return (await client.query<Row>(statement)).rows;
      } finally {
        await client.end();
      }
    },
    /** The response of /ready, whose status must match it. */
    async ready(): Promise<Readiness> {
      const response = await get("/ready");
      const state = (await response.json()) as Readiness;
      expect(response.status).toBe(state.ready ? 200 : 503);
      return state;
    },
  };
};
