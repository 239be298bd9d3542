// Plain JavaScript, because it runs before anything is compiled.
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const projectRoot = resolve(import.meta.dirname, "..");

/** The programs that compile. A change of them changes what they write. */
const COMPILERS = ["compile.js", "compile-explorer.js", "compiled-files.js", "indexer-program.js"];

/**
 * A digest of everything that the result depends on. npm's hidden lockfile stands for the installed packages.
 * @param {string} root
 * @param {string[]} sources
 * @param {ReadonlyMap<string, Uint8Array>} [loaded] Contents that were compiled, by path. The files may have changed since.
 */
export async function digestOf(root, sources, loaded = new Map()) {
  const lockfiles = [root, projectRoot].map((folder) => join(folder, "node_modules", ".package-lock.json"));
  const files = [
    ...COMPILERS.map((name) => join(import.meta.dirname, name)),
    ...sources.map((path) => join(root, path)),
    ...lockfiles.filter((file) => existsSync(file)),
  ];
  const contents = await Promise.all(files.map((file) => loaded.get(file) ?? readFile(file)));
  const hash = createHash("sha256").update(JSON.stringify([root, ...sources]));
  for (const content of contents) hash.update(content).update("\0");
  return hash.digest("hex").slice(0, 16);
}

/**
 * Records the sources as they are compiled, and replaces a module's references to itself: in the compiled file they would
 * point to that file.
 * @param {string} root
 * @param {Map<string, Uint8Array>} loaded
 * @returns {import("esbuild").Plugin}
 */
export const ownSources = (root, loaded) => ({
  name: "own-sources",
  setup({ onLoad }) {
    onLoad({ filter: /./, namespace: "file" }, async ({ path }) => {
      if (path.includes("node_modules") || !path.startsWith(root)) return undefined;
      const source = await readFile(path);
      loaded.set(path, source);
      const loader = /\.(ts|tsx|js)$/.exec(path)?.[1];
      if (loader === undefined) return { contents: source, loader: "default" };
      const contents = source
        .toString()
        .replaceAll(/(?<!["'])import\.meta\.(dirname|url)/g, (_, property) =>
          JSON.stringify(property === "url" ? pathToFileURL(path).href : dirname(path)),
        );
      return { contents, loader: /** @type {"ts" | "tsx" | "js"} */ (loader) };
    });
  },
});

/** The folder of the compiled files can't be written to. */
export class UnwritableFolder extends Error {
  /** @override */
  name = "UnwritableFolder";

  /**
   * @param {string} folder
   * @param {unknown} cause
   */
  constructor(folder, cause) {
    super(`Can't write to ${folder}, where compiled programs are kept. Make it a folder that this user can write to.`, {
      cause,
    });
  }
}

/**
 * Writes a file atomically: other processes may read or write it at the same time.
 * @param {string} file
 * @param {string | Uint8Array} content
 */
export async function write(file, content) {
  const scratch = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(scratch, content);
    await rename(scratch, file);
  } catch (error) {
    throw new UnwritableFolder(dirname(file), error);
  }
}
