import { chmod, constants, copyFile, lchown, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";

type Modes = { folder: number; file: number };

/** Copies a folder's content with the given modes, independent of the original's modes and the umask. */
export async function copyTree(from: string, to: string, modes: Modes): Promise<void> {
  await mkdir(to, { recursive: true });
  const copyEntry = async (source: string, target: string, isFolder: boolean, isLink: boolean) => {
    if (isFolder) return copyTree(source, target, modes);
    if (isLink) return symlink(await readlink(source), target);
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    await chmod(target, modes.file);
  };
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map((entry) =>
      copyEntry(join(from, entry.name), join(to, entry.name), entry.isDirectory(), entry.isSymbolicLink()),
    ),
  );
  await chmod(to, modes.folder);
}

/** Changes the owner of a folder and its content. */
export async function chownTree(folder: string, uid: number, gid: number): Promise<void> {
  await lchown(folder, uid, gid);
  const entries = await readdir(folder, { withFileTypes: true });
  await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? chownTree(path, uid, gid) : lchown(path, uid, gid);
    }),
  );
}
