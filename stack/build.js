// Bundles the programs and the explorer: `npm run build`. Plain JavaScript, because it runs before anything is bundled.
import { realpathSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, join, parse, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");

/** The files of a folder by the names of their programs. @param {string} folder @param {string} [prefix] */
const programsIn = async (folder, prefix = "") =>
  Object.fromEntries(
    (await readdir(join(root, folder))).map((file) => [prefix + parse(file).name, join(folder, file)]),
  );

/** What the browser loads first: the script and the style sheet of the explorer, and of the reference page. */
const pages = { explorer: ["browser.tsx", "styles.css"], reference: ["reference/browser.ts", "reference/styles.css"] };

/** Ponder's functions that define tables are used. Its other modules load GraphQL. @type {import("esbuild").Plugin} */
const partsOfPonder = {
  name: "parts-of-ponder",
  setup({ onResolve, resolve: find }) {
    onResolve({ filter: /./ }, async ({ path, pluginData, ...options }) => {
      const isPonder = path === "ponder" || options.importer.includes(join("node_modules", "ponder", "dist"));
      if (pluginData === "found" || !isPonder) return undefined;
      return { ...(await find(path, { ...options, pluginData: "found" })), sideEffects: false };
    });
  },
};

/** Packages that export traces. They are loaded only if a collector is configured. */
const tracing = ["core", "exporter-trace-otlp-http", "resources", "sdk-trace-base"];

const common = /** @type {const} */ ({ absWorkingDir: root, bundle: true, format: "esm", legalComments: "none" });

/** For programs of Node. Packages in CommonJS require Node's modules. @type {import("esbuild").BuildOptions} */
export const forNode = {
  ...common,
  platform: "node",
  target: "node20",
  banner: { js: 'import { createRequire as of } from "node:module"; const require = of(import.meta.url);' },
  external: ["pg-native", ...tracing.map((name) => `@opentelemetry/${name}`)],
  plugins: [partsOfPonder],
};

/** How long replaced builds are kept, for processes that load their files right now. */
const KEPT_MS = 600_000;

/** Builds in a new folder, and makes dist/current a link to it. Others may build or run the programs at the same time. */
async function main() {
  const startedAt = Date.now();
  await mkdir(dist, { recursive: true });
  const folder = await mkdtemp(join(dist, "build-"));
  // Another user may run the programs.
  await chmod(folder, 0o755);
  const options = /** @type {const} */ ({ splitting: true, metafile: true, logLevel: "error" });
  const own = { gateway: "api/server.ts", cli: "client/cli/main.ts" };
  const entryPoints = {
    ...own,
    ...(await programsIn("stack/programs")),
    ...(await programsIn("examples", "examples/")),
  };
  const programs = await build({ ...forNode, ...options, entryPoints, outdir: folder, chunkNames: "chunks/[hash]" });
  // Pages that pay or hash load more code than the others. Browsers keep the files forever, hence the names.
  const names = { outdir: join(folder, "explorer"), entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]" };
  const entries = Object.values(pages).flatMap((files) => files.map((file) => `explorer/${file}`));
  const forPages = { ...common, ...options, ...names, entryPoints: entries, target: "es2022", minify: true };
  const explorer = await build(forPages);
  const outputs = Object.entries(explorer.metafile.outputs);
  const files = outputs.map(([path]) => resolve(root, path));
  for (const file of files) {
    await writeFile(`${file}.br`, await promisify(brotliCompress)(await readFile(file)));
    await writeFile(`${file}.gz`, await promisify(gzip)(await readFile(file)));
  }
  /** @param {string} entry */
  const nameOf = (entry) => basename(outputs.find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? "");
  const [script, style, referenceScript, referenceStyle] = entries.map(nameOf);
  const reference = { script: referenceScript, style: referenceStyle };
  const manifest = { explorer: { script, style }, reference, files: files.map((file) => basename(file)) };
  await writeFile(join(folder, "explorer", "manifest.json"), JSON.stringify(manifest));
  const inputs = [programs, explorer].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const sources = inputs.filter((path) => !path.includes("node_modules"));
  await writeFile(join(folder, "build.json"), JSON.stringify({ startedAt, sources }));
  await symlink(basename(folder), `${folder}.link`, "junction");
  const now = new Date();
  const replaced = await readlink(join(dist, "current")).catch(() => undefined);
  // Its age counts from now on.
  if (replaced) await utimes(join(dist, replaced), now, now).catch(() => {});
  await rename(`${folder}.link`, join(dist, "current"));
  for (const other of (await readdir(dist)).filter((name) => name.startsWith("build-") && name !== basename(folder))) {
    // Another build may rename or remove it at the same time.
    const { mtimeMs } = await lstat(join(dist, other)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > KEPT_MS) await rm(join(dist, other), { recursive: true, force: true });
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await main().catch((error) => {
    // esbuild has printed its own errors.
    if (!error.errors) console.error(`The programs could not be built in ${dist}: ${error.message}`);
    process.exitCode = 1;
  });
