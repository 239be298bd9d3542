import { appendFile, chmod, cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { type Cluster, startCluster, type Tools } from "../../stack/local/postgres/cluster";
import { chownTree } from "../../stack/local/postgres/tree";
import { freePorts } from "../../stack/roles/ports";

/** Files of a running server that a copy must not have. */
const NOT_COPIED = new Set(["postmaster.pid", "postmaster.opts", "pg_wal", "pg_replslot"]);

/**
 * Starts a streaming replica of a running server. `name` is for `synchronous_standby_names`. It copies the server's files
 * between pg_backup_start and pg_backup_stop, because the programs from npm have no pg_basebackup. The server must keep enough
 * of its write-ahead log (`wal_keep_size`).
 */
export async function startReplica(
  tools: Tools,
  primary: { data: string; url: string },
  { name, data }: { name: string; data: string },
  settings: string[],
): Promise<Cluster & { port: number }> {
  const { user } = tools;
  // The backup ends with its connection.
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('replica', true)");
    await rm(data, { recursive: true, force: true });
    for (const entry of await readdir(primary.data))
      if (!NOT_COPIED.has(entry)) await cp(join(primary.data, entry), join(data, entry), { recursive: true });
    for (const folder of ["pg_wal", "pg_wal/archive_status", "pg_wal/summaries", "pg_replslot"])
      await mkdir(join(data, folder), { recursive: true, mode: 0o700 });
    const { rows } = await client.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)");
    await writeFile(join(data, "backup_label"), rows[0]?.labelfile ?? "");
  } finally {
    await client.end();
  }
  await writeFile(join(data, "standby.signal"), "");
  if (user) await chownTree(data, user.uid, user.gid);
  await chmod(data, 0o700);
  const { hostname, port: primaryPort, username, password } = new URL(primary.url);
  const connection = `host=${hostname} port=${primaryPort} user=${username} password=${password} application_name=${name}`;
  const [port = 0] = await freePorts(1);
  // In a file, so that the server has it when it starts again.
  await appendFile(join(data, "postgresql.auto.conf"), `primary_conninfo = '${connection}'\n`);
  return { ...(await startCluster(tools, data, { port, settings })), port };
}
