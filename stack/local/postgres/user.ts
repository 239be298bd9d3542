import { execFile } from "node:child_process";
import { access, chmod, constants, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { cached } from "../cache";

const run = promisify(execFile);

/** The user that runs PostgreSQL. Undefined means the user of this process. */
export type PostgresUser = { uid: number; gid: number } | undefined;

/** PostgreSQL refuses to run as root. Root runs it as the owner of the data, or as `nobody` if there is no data yet. */
export async function postgresUser(data: string): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const [uid, gid] = await Promise.all(["-u", "-g"].map((option) => run("id", [option, "nobody"])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

/** Whether the modes of the folder and all its parents let the user enter it. */
export async function canReach(user: PostgresUser, folder: string): Promise<boolean> {
  if (!user) return true;
  for (let current = await realpath(folder); ; current = dirname(current)) {
    const { uid, gid, mode } = await stat(current);
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return false;
    if (current === dirname(current)) return true;
  }
}

/** Creates a folder that every user can enter, independent of the umask. */
export async function makePublicFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
}

/** Root's cache if its default cache is private, as in a home folder of mode 0700. */
const SHARED_CACHE = "/var/cache/intentry";

/**
 * The first cache folder that this process can write and the user can reach: the default one, root's public one, or one in
 * the state folder (in a container, nothing else may be writable).
 */
export async function cacheFolder(user: PostgresUser, stateFolder: string): Promise<string> {
  const usable = async (folder: string) => {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    if (!(await canReach(user, folder))) throw new Error(`User ${user?.uid} can't reach ${folder}`);
    return folder;
  };
  return usable(cached(""))
    .catch(async (error: unknown) => {
      if (!user) throw error;
      await makePublicFolder(SHARED_CACHE);
      return usable(SHARED_CACHE);
    })
    .catch(() => usable(join(stateFolder, "cache")));
}
