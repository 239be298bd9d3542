// Plain JavaScript, because it runs before anything is compiled.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ponderFolder = join(import.meta.dirname, "..", "node_modules", "ponder", "dist", "esm");
const loader = join(import.meta.dirname, "ponder-loader.js");

/** The modules of Ponder's Vite server, which compiles a Ponder app each time it starts. */
const VITE = /^(vite|vite-node\/client|vite-node\/server|vite-tsconfig-paths)$/;

/** Modules that Ponder finds by their own location. */
const LOCATED = /[\\/]ponder[\\/]dist[\\/]esm[\\/]bin[\\/](ponder|isolatedController)\.js$/;

/** The module that writes ponder-env.d.ts, the types for editors. The command `ponder codegen` writes it too. */
const CODEGEN = /[\\/]ponder[\\/]dist[\\/]esm[\\/]bin[\\/]utils[\\/]codegen\.js$/;

/**
 * The files of the Ponder app: its configuration, its tables, and everything in src/.
 * @param {string} root
 * @returns {Promise<string[]>} Their paths below the root.
 */
async function appFiles(root) {
  const sources = await readdir(join(root, "src"), { recursive: true });
  const handlers = sources.filter((path) => /\.m?[jt]s$/.test(path)).sort();
  return ["ponder.config.ts", "ponder.schema.ts", ...handlers.map((path) => join("src", path))];
}

/**
 * A table of the app's modules by their path. A module runs when it is first called for, as in Ponder's own runner.
 * @param {string} root
 * @param {string[]} files
 */
const moduleTable = (root, files) => {
  const ids = [...files.map((file) => join(root, file)), "ponder:registry"].map((id) => JSON.stringify(id));
  return `export const modules = {\n${ids.map((id) => `  ${id}: () => import(${id}),`).join("\n")}\n};`;
};

/**
 * Bundles the Ponder app into Ponder's command line, in place of the Vite server.
 * @param {string} root
 * @param {string[]} files
 * @returns {import("esbuild").Plugin}
 */
const withApp = (root, files) => ({
  name: "with-app",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: VITE }, () => ({ path: loader }));
    onResolve({ filter: /^\.\/app-modules\.js$/ }, ({ path }) => ({ path, namespace: "app" }));
    onLoad({ filter: /./, namespace: "app" }, () => ({ contents: moduleTable(root, files), resolveDir: root }));
    onResolve({ filter: /^ponder:/ }, ({ path }) => ({ path, namespace: "ponder" }));
    onLoad({ filter: /./, namespace: "ponder" }, async ({ path }) => {
      const { vitePluginPonder } = await import(pathToFileURL(join(ponderFolder, "build", "plugin.js")).href);
      const { load } = vitePluginPonder({ schemaFile: join(root, "ponder.schema.ts") });
      return { contents: load(path), resolveDir: root };
    });
    // The folder of a deployed project may be read-only.
    onLoad({ filter: CODEGEN }, () => ({ contents: "export const runCodegen = () => {};" }));
    onLoad({ filter: LOCATED }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      return { contents: source.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)), loader: "js" };
    });
  },
});

/**
 * Ponder's command line with this app.
 * @param {string} root
 */
export async function indexerProgram(root) {
  const files = await appFiles(root);
  return {
    name: "indexer",
    entry: join(ponderFolder, "bin", "ponder.js"),
    plugins: [withApp(root, files)],
    // Parses SQL of clients that use Ponder's own SQL endpoint. It is large, and Ponder loads it when it is needed.
    external: ["pg-query-emscripten"],
    sources: files,
    // Ponder's log shows the source lines of an error in a handler.
    sourcemap: true,
  };
}
