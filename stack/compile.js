// Plain JavaScript, because it runs before anything is compiled.
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { compileExplorer } from "./compile-explorer.js";
import { digestOf, ownSources, write } from "./compiled-files.js";
import { indexerProgram } from "./indexer-program.js";

export { UnwritableFolder } from "./compiled-files.js";

const projectRoot = resolve(import.meta.dirname, "..");

/** The programs that `npm start` and the commands run. */
const PROGRAMS = [
  "api/server.ts",
  "client/cli/main.ts",
  "stack/run-example.ts",
  "stack/pay.ts",
  "stack/run-doctor.ts",
  "stack/run-reindex.ts",
  "stack/start.ts",
];

/**
 * The last compilation: the sources by their paths below the root, their digest, and the compiled file.
 * @typedef {{ digest: string, sources: string[], file: string }} Manifest
 */

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

/** The packages that export traces. They are loaded only if a collector is configured, so they are not compiled into programs. */
const TRACING = ["core", "exporter-trace-otlp-http", "resources", "sdk-trace-base"].map(
  (name) => `@opentelemetry/${name}`,
);

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
    external: ["esbuild", "pg-native", ...TRACING, ...external],
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

/** The program that serves the explorer. */
const GATEWAY = "api/server.ts";

/**
 * Compiles a program and the packages that it imports to one file, unless that was done since the last edit. Node loads
 * the file in a fraction of the time that it needs for the sources. With the gateway it compiles the explorer's script and
 * style sheet.
 * @param {string} program Its path below the root.
 * @param {string} [root]
 * @returns {Promise<string>} The path of the compiled file.
 */
export async function compile(program, root = projectRoot) {
  const compiling = compileOnce(root, {
    name: program.replace(/\.ts$/, "").replaceAll(/[\\/]/g, "-"),
    entry: program,
    plugins: [partsOfPonder],
  });
  const [file] = await Promise.all([compiling, program === GATEWAY && compileExplorer(root)]);
  return file;
}

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
