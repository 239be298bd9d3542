import pg from "pg";

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#lost-connection
 *
 * Calls `onLost` when any connection of this process to PostgreSQL ends unexpectedly, before the process can open another.
 *
 * Without it, the index can have a gap. Ponder commits with `synchronous_commit = off`, so a server that crashes loses the last
 * commits, and so does a replica that is promoted. Ponder opens a new connection and continues after the blocks that are lost.
 * A restarted Ponder starts from what the database has. Ponder has no hook for connections, and a `Client` in its `poolConfig`
 * would replace the settings of its sessions, so this wraps pg's `Client.prototype.connect`.
 *
 * Test: test/system/faults/database-away.test.ts "loses no event when the server crashes and loses the indexer's last commits"
 */
export function onLostConnection(onLost: (error: Error) => void): void {
  const { prototype } = pg.Client;
  const connect: (...parameters: unknown[]) => unknown = prototype.connect;
  prototype.connect = function connectWatched(this: pg.Client, ...parameters: unknown[]) {
    // Failures to connect are not emitted. The caller gets them.
    this.on("error", onLost);
    return connect.apply(this, parameters);
  } as typeof prototype.connect;
}
