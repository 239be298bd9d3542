// Plain JavaScript, because it runs before anything is compiled.
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { indexerProgram } from "./indexer-program.js";

const projectRoot = resolve(import.meta.dirname, "..");

/** The programs that `npm start` and the commands run. */
const PROGRAMS = ["api/server.ts", "client/cli/main.ts", "stack/pay.ts", "stack/run-reindex.ts", "stack/start.ts"];

/**
 * The last compilation: the sources by their paths below the root, their digest, and the compiled file.
 * @typedef {{ digest: string, sources: string[], file: string }} Manifest
 */

/**
 * A digest of everything that the result depends on. npm's hidden lockfile stands for the installed packages.
 * @param {string} root
 * @param {string[]} sources
 * @param {ReadonlyMap<string, Uint8Array>} [loaded] Contents that were compiled, by path. The files may have changed since.
 */
async function digestOf(root, sources, loaded = new Map()) {
  const lockfiles = [root, projectRoot].map((folder) => join(folder, "node_modules", ".package-lock.json"));
  const files = [
    ...["compile.js", "indexer-program.js"].map((name) => join(import.meta.dirname, name)),
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
const ownSources = (root, loaded) => ({
  name: "own-sources",
  setup({ onLoad }) {
    onLoad({ filter: /./, namespace: "file" }, async ({ path }) => {
      if (path.includes("node_modules") || !path.startsWith(root)) return undefined;
      const source = await readFile(path);
      loaded.set(path, source);
      if (!/\.[jt]s$/.test(path)) return { contents: source, loader: "default" };
      const contents = source
        .toString()
        .replaceAll(/(?<!["'])import\.meta\.(dirname|url)/g, (_, property) =>
          JSON.stringify(property === "url" ? pathToFileURL(path).href : dirname(path)),
        );
      return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
    });
  },
});

/**
 * Removes the modules of Ponder that are not used. Only its functions that define tables are; the others load GraphQL.
 * @type {import("esbuild").Plugin}
 */
const partsOfPonder = {
  name: "parts-of-ponder",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /./ }, async ({ path, pluginData, ...options }) => {
      const isPonder = path === "ponder" || options.importer.includes(join("node_modules", "ponder", "dist"));
      if (pluginData === "resolved" || !isPonder) return undefined;
      return { ...(await resolve(path, { ...options, pluginData: "resolved" })), sideEffects: false };
    });
  },
};

/**
 * @typedef {object} Program
 * @property {string} name The name of the compiled file.
 * @property {string} entry Its path, absolute or below the root.
 * @property {import("esbuild").Plugin[]} plugins
 * @property {string[]} [external]
 * @property {string[]} [sources] Files that belong to it although nothing imports them.
 * @property {boolean} [sourcemap]
 */

/**
 * @param {string} root
 * @param {Program} program
 * @returns {Promise<Manifest>}
 */
async function build(root, { name, entry, plugins, external = [], sources: files = [], sourcemap = false }) {
  const { build: bundle } = await import("esbuild");
  /** @type {Map<string, Uint8Array>} */
  const loaded = new Map();
  const { metafile, outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join("dist", `${name}.mjs`),
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    // Packages in CommonJS require Node's modules.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    external: ["esbuild", "pg-native", ...external],
    plugins: [ownSources(root, loaded), ...plugins],
    metafile: true,
    write: false,
    legalComments: "none",
    sourcemap: sourcemap && "external",
    sourcesContent: false,
    // Faster to load. Without a source map, stack traces need the lines.
    minifyWhitespace: sourcemap,
    logLevel: "silent",
  });
  const imported = Object.keys(metafile.inputs)
    .filter((path) => !path.includes("node_modules") && !/^(app|ponder):/.test(path))
    .map((path) => relative(root, resolve(root, path)));
  const sources = [...new Set([...imported, ...files])].sort();
  const digest = await digestOf(root, sources, loaded);
  const file = join(root, "dist", `${name}-${digest}.mjs`);
  const code = outputFiles.find(({ path }) => path.endsWith(".mjs"));
  if (!code) throw new Error(`${entry} compiled to nothing`);
  const map = outputFiles.find(({ path }) => path.endsWith(".map"));
  if (map) await write(mapOf(file), map.contents);
  await write(file, map ? `${code.text}//# sourceMappingURL=${basename(mapOf(file))}\n` : code.contents);
  return { digest, sources, file };
}

/** @param {string} file */
const mapOf = (file) => `${file}.map`;

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
async function write(file, content) {
  const scratch = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(scratch, content);
    await rename(scratch, file);
  } catch (error) {
    throw new UnwritableFolder(dirname(file), error);
  }
}

/**
 * @param {string} root
 * @param {Program} program
 */
async function compileOnce(root, program) {
  const manifestFile = join(root, "dist", `${program.name}.json`);
  /** @type {Manifest | undefined} */
  const last = await readFile(manifestFile, "utf8").then(JSON.parse, () => undefined);
  const isComplete = last && program.sources?.every((source) => last.sources.includes(source)) !== false;
  if (isComplete && existsSync(last.file) && (await digestOf(root, last.sources).catch(() => "")) === last.digest)
    return last.file;
  const manifest = await build(root, program);
  await write(manifestFile, JSON.stringify(manifest));
  if (last && last.file !== manifest.file)
    for (const old of [last.file, mapOf(last.file)]) await rm(old, { force: true });
  return manifest.file;
}

/**
 * Compiles a program and the packages that it imports to one file, unless that was done since the last edit. Node loads
 * the file in a fraction of the time that it needs for the sources.
 * @param {string} program Its path below the root.
 * @param {string} [root]
 * @returns {Promise<string>} The path of the compiled file.
 */
export const compile = (program, root = projectRoot) =>
  compileOnce(root, {
    name: program.replace(/\.ts$/, "").replaceAll(/[\\/]/g, "-"),
    entry: program,
    plugins: [partsOfPonder],
  });

/**
 * Compiles Ponder's command line together with the handlers, the tables and the configuration.
 * @param {string} [root]
 * @returns {Promise<string>} The path of the compiled file.
 */
export const compileIndexer = async (root = projectRoot) => compileOnce(root, await indexerProgram(root));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const program of PROGRAMS) await compile(program);
  await compileIndexer();
}
