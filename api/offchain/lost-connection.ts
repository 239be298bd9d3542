import pg from "pg";

/**
 * Calls `onLost` when any connection of this process to PostgreSQL ends unexpectedly, before the process can open another.
 *
 * Ponder commits with `synchronous_commit = off`, so a server that crashes loses the last commits, and so does a replica
 * that is promoted. Ponder opens a new connection and continues after the blocks that are lost: the index has a gap. A
 * restarted Ponder starts from what the database has.
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
