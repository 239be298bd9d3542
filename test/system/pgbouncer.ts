import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { freePorts } from "../../stack/roles/ports";
import { findProgram, startProgram } from "../support/programs";

/** The path of PgBouncer. Without it its tests are skipped. */
export const pgbouncer = findProgram("pgbouncer");

/** The number of connections to PostgreSQL: fewer than one gateway opens to the pooler. */
const SERVER_CONNECTIONS = 4;

/** Starts PgBouncer in transaction mode in front of a database. */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const [port = 0] = await freePorts(1);
  const { hostname, port: serverPort, pathname, username, password } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), "intentry-pgbouncer-"));
  const file = join(folder, "pgbouncer.ini");
  const name = pathname.slice(1);
  await writeFile(
    file,
    `[databases]
${name} = host=${hostname} port=${serverPort} dbname=${name} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 200
`,
  );
  // PgBouncer does not run as root.
  const isRoot = process.getuid?.() === 0;
  await chmod(folder, 0o755);
  const running = startProgram(program, [...(isRoot ? ["-u", "nobody"] : []), file]);
  const isUp = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
  await vi.waitUntil(isUp, { timeout: 10_000, interval: 50 }).catch((error: unknown) => {
    throw new Error(`PgBouncer did not start: ${running.output()}`, { cause: error });
  });
  return {
    url: `postgresql://${username}@127.0.0.1:${port}/${name}`,
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
