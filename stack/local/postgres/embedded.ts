import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, readlink, realpath, rm, statfs, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Child } from "../../supervision/child";
import { DATABASE, findTools, makeCluster, startCluster, type Tools } from "./cluster";
import { canReach, makePublicFolder } from "./user";

const run = promisify(execFile);

/** Where root puts the data if the user that runs PostgreSQL can't reach the state folder. */
const SHARED_DATA = "/var/lib/intentry";

/** The data folder is a broken symlink. Starting with an empty database would hide the data loss. */
class DataMissing extends Error {
  override name = "DataMissing";

  constructor(place: string, target: string) {
    super(
      `${place} is a link to ${target}, which does not exist. Restore that folder, or remove the link to start with an empty database.`,
    );
  }
}

/** Returns the data folder of a state folder. Creates it, or moves it to where PostgreSQL's user can reach it, if necessary. */
async function ensureDataFolder(tools: Tools, stateFolder: string): Promise<string> {
  const place = join(stateFolder, "postgres");
  const present = await lstat(place).catch(() => undefined);
  if (present?.isSymbolicLink()) {
    const target = await readlink(place);
    return realpath(place).catch(() => {
      throw new DataMissing(place, target);
    });
  }
  if (await canReach(tools.user, stateFolder)) {
    await makeCluster(tools, place, { durable: true });
    return place;
  }
  // A random name, so that a new clone at the same path does not reuse the old clone's data.
  const target = join(SHARED_DATA, randomBytes(8).toString("hex"));
  await makePublicFolder(SHARED_DATA);
  if (present) await run("mv", [place, target]);
  else await makeCluster(tools, target, { durable: true });
  await symlink(target, place);
  return target;
}

/** Removes the scratch folders of starts that were killed while creating the cluster. */
async function removeScratch(stateFolder: string): Promise<void> {
  for (const name of await readdir(stateFolder))
    if (name.startsWith("postgres.making-")) await rm(join(stateFolder, name), { recursive: true, force: true });
}

/** PostgreSQL can't start without space for two segments of its write-ahead log. */
const MIN_FREE_BYTES = 32 * 1024 * 1024;

/** Waits until the disk of a folder has space for PostgreSQL. Calls `onFull` once if it has not. */
async function diskHasSpace(folder: string, onFull: () => void): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize >= MIN_FREE_BYTES) return;
    if (attempt === 0) onFull();
    await sleep(1_000);
  }
}

export type EmbeddedPostgres = {
  child: Child;
  databaseUrl: string;
  /** Starts the server again, at the same URL, once its disk has space. Calls `onFull` if it has to wait for that. */
  startAgain: (onFull: (message: string) => void) => Promise<Child>;
};

/**
 * Starts the PostgreSQL server of a state folder, and creates its cluster if necessary. The caller must own the folder,
 * because a server that still runs on its data is stopped.
 */
export async function startEmbeddedPostgres(stateFolder: string): Promise<EmbeddedPostgres> {
  await mkdir(stateFolder, { recursive: true });
  await removeScratch(stateFolder);
  const tools = await findTools(join(stateFolder, "postgres"), stateFolder);
  const data = await ensureDataFolder(tools, stateFolder);
  const { child, url } = await startCluster(tools, data);
  const databaseUrl = url(DATABASE);
  return {
    child,
    databaseUrl,
    async startAgain(onFull) {
      await diskHasSpace(data, () => onFull(`The disk of ${data} is full. PostgreSQL starts again when it has space.`));
      return (await startCluster(tools, data, { port: Number(new URL(databaseUrl).port) })).child;
    },
  };
}
