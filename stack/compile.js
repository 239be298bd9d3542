// Plain JavaScript, because it runs before anything is compiled.
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

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
 */
async function digestOf(root, sources) {
  const files = [...sources, join("node_modules", ".package-lock.json")].map((path) => join(root, path));
  const contents = await Promise.all([fileURLToPath(import.meta.url), ...files].map((file) => readFile(file)));
  const hash = createHash("sha256").update(JSON.stringify([root, ...sources]));
  for (const content of contents) hash.update(content).update("\0");
  return hash.digest("hex").slice(0, 16);
}

/**
 * Replaces a module's references to itself: in the compiled file they would point to that file.
 * @param {string} root
 * @returns {import("esbuild").Plugin}
 */
const ownLocation = (root) => ({
  name: "own-location",
  setup({ onLoad }) {
    onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
      if (path.includes("node_modules") || !path.startsWith(root)) return undefined;
      const source = await readFile(path, "utf8");
      const contents = source.replaceAll(/(?<!["'])import\.meta\.(dirname|url)/g, (_, property) =>
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
 * @param {string} root
 * @param {string} program
 * @param {string} name
 * @returns {Promise<Manifest>}
 */
async function build(root, program, name) {
  const { build: bundle } = await import("esbuild");
  const { metafile, outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: [program],
    outfile: `${name}.mjs`,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    // Packages in CommonJS require Node's modules.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    external: ["esbuild", "pg-native"],
    plugins: [ownLocation(root), partsOfPonder],
    metafile: true,
    write: false,
    legalComments: "none",
    logLevel: "silent",
  });
  const sources = Object.keys(metafile.inputs)
    .filter((path) => !path.includes("node_modules"))
    .map((path) => relative(root, resolve(root, path)))
    .sort();
  const digest = await digestOf(root, sources);
  const file = join(root, "dist", `${name}-${digest}.mjs`);
  const [output] = outputFiles;
  if (!output) throw new Error(`${program} compiled to nothing`);
  await write(file, output.contents);
  return { digest, sources, file };
}

/**
 * Writes a file atomically: other processes may read or write it at the same time.
 * @param {string} file
 * @param {string | Uint8Array} content
 */
async function write(file, content) {
  const scratch = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(scratch, content);
  await rename(scratch, file);
}

/**
 * Compiles a program and the packages that it imports to one file, unless that was done since the last edit. Node loads
 * the file in a fraction of the time that it needs for the sources.
 * @param {string} program Its path below the root.
 * @param {string} [root]
 * @returns {Promise<string>} The path of the compiled file.
 */
export async function compile(program, root = projectRoot) {
  const name = program.replace(/\.ts$/, "").replaceAll(/[\\/]/g, "-");
  const manifestFile = join(root, "dist", `${name}.json`);
  /** @type {Manifest | undefined} */
  const last = await readFile(manifestFile, "utf8").then(JSON.parse, () => undefined);
  if (last && existsSync(last.file) && (await digestOf(root, last.sources).catch(() => "")) === last.digest)
    return last.file;
  const manifest = await build(root, program, name);
  await write(manifestFile, JSON.stringify(manifest));
  if (last && last.file !== manifest.file) await rm(last.file, { force: true });
  return manifest.file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const program of PROGRAMS) await compile(program);
