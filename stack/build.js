// Bundles the programs and the explorer into dist/current (`npm run build`), or the npm package into client/dist
// (`npm run build client`). Plain JavaScript, because it runs before anything is bundled.
import { realpathSync } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, join, parse, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { build } from "esbuild";
import { replaceBuild } from "./dist.js";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");

/** The files of a folder by the names of their programs. @param {string} folder @param {string} [prefix] */
const programsIn = async (folder, prefix = "") =>
  Object.fromEntries(
    (await fs.readdir(join(root, folder))).map((file) => [prefix + parse(file).name, join(folder, file)]),
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

const logs = /** @type {const} */ ({ legalComments: "none", logLevel: "error" });
const common = /** @type {const} */ ({ ...logs, absWorkingDir: root, bundle: true, format: "esm" });

/** For programs of Node. Packages in CommonJS require Node's modules. @type {import("esbuild").BuildOptions} */
export const forNode = {
  ...common,
  platform: "node",
  target: "node20",
  banner: { js: 'import { createRequire as of } from "node:module"; const require = of(import.meta.url);' },
  external: ["pg-native", ...tracing.map((name) => `@opentelemetry/${name}`)],
  plugins: [partsOfPonder],
};

/** Writes the programs and the explorer to a folder. Returns their sources. @param {string} folder */
async function bundlePrograms(folder) {
  const options = /** @type {const} */ ({ splitting: true, metafile: true });
  const own = { gateway: "api/server.ts", cli: "client/cli/main.ts" };
  const examples = await programsIn("examples", "examples/");
  const entryPoints = { ...own, ...(await programsIn("stack/programs")), ...examples };
  const programs = await build({ ...forNode, ...options, entryPoints, outdir: folder, chunkNames: "chunks/[hash]" });
  // Pages that pay or hash load more code than the others. Browsers keep the files forever, hence the names.
  const names = { outdir: join(folder, "explorer"), entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]" };
  const entries = Object.values(pages).flatMap((files) => files.map((file) => `explorer/${file}`));
  const forPages = { ...common, ...options, ...names, entryPoints: entries, target: "es2022", minify: true };
  const explorer = await build(forPages);
  const outputs = Object.entries(explorer.metafile.outputs);
  const files = outputs.map(([path]) => resolve(root, path));
  for (const file of files) {
    await fs.writeFile(`${file}.br`, await promisify(brotliCompress)(await fs.readFile(file)));
    await fs.writeFile(`${file}.gz`, await promisify(gzip)(await fs.readFile(file)));
  }
  /** @param {string} entry */
  const nameOf = (entry) => basename(outputs.find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? "");
  const [script, style, referenceScript, referenceStyle] = entries.map(nameOf);
  const reference = { script: referenceScript, style: referenceStyle };
  const manifest = { explorer: { script, style }, reference, files: files.map((file) => basename(file)) };
  await fs.writeFile(join(folder, "explorer", "manifest.json"), JSON.stringify(manifest));
  const inputs = [programs, explorer].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  return inputs.filter((path) => !path.includes("node_modules"));
}

/** Writes the npm package: the client and the ABIs for Node, browsers and workers, with their types, and the command line. */
async function bundleClient() {
  const outdir = join(root, "client", "dist");
  const { dependencies, peerDependencies } = JSON.parse(
    await fs.readFile(join(root, "client", "package.json"), "utf8"),
  );
  const installed = Object.keys({ ...dependencies, ...peerDependencies });
  const external = [...installed, "./lazy.js"];
  const market = "client/src/market/index.ts";
  const modules = { client: "client/src/index.ts", hashing: "client/src/hashing.ts", market, abis: "abis/index.ts" };
  const options = /** @type {const} */ ({ ...common, outdir, platform: "neutral", target: "es2022", splitting: true });
  await fs.rm(outdir, { recursive: true, force: true });
  await build({ ...options, entryPoints: modules, external });
  // A file of its own, see client/src/lazy.ts.
  await build({ ...options, entryPoints: { lazy: "client/src/lazy.ts" }, external: installed });
  await build({ ...forNode, entryPoints: { cli: "client/cli/main.ts" }, outdir, external });
  // Not installed in production.
  const [{ rollup }, { dts }] = await Promise.all([import("rollup"), import("rollup-plugin-dts")]);
  const types = await rollup({
    input: modules,
    external: installed.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [dts()],
  });
  await types.write({ dir: outdir, entryFileNames: "[name].d.ts", chunkFileNames: "[name]-[hash].d.ts" });
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await (process.argv[2] === "client" ? bundleClient() : replaceBuild(dist, bundlePrograms)).catch((error) => {
    // esbuild has printed its own errors.
    if (!error.errors) console.error(`The programs could not be built in ${dist}: ${error.message}`);
    process.exitCode = 1;
  });
