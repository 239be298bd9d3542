const { pathToFileURL } = require("node:url");

/**
 * For the Vite server in which Ponder runs this project. CommonJS, because Vite writes a compiled copy of any other format beside
 * this file, and the folder of a deployed project may be read-only.
 *
 * Workaround of Ponder 0.16.10: docs/upstream.md#vite
 *
 * Ponder uses Vite to compile, and serves nothing with it. Without `middlewareMode`, Vite ends the process on SIGTERM before
 * Ponder has released the lock on its schema, and the next start waits for the lock to expire. Without `ws: false`, it would then
 * listen on a port for WebSockets. Without `noDiscovery`, a server in `middlewareMode` bundles the dependencies for browsers while
 * the indexer loads. Without `watch`, Vite watches every file below this folder, including those of the embedded
 * database; only `ponder dev` needs a watcher.
 *
 * Test: test/system/ponder-command.test.ts "leaves no lock on its schema after SIGTERM"
 */
const isDevelopment = process.argv[2] === "dev";

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#compiled-packages
 *
 * Lets Node load `ponder`: vite-node hands data URLs to Node. Without it, Vite compiles Ponder and the packages of its GraphQL at
 * every start, 400 of 500 modules.
 *
 * Test: test/system/ponder-command.test.ts "compiles this project, and neither Ponder nor its GraphQL"
 */
const ponderInNode = {
  name: "ponder-in-node",
  enforce: "pre",
  async resolveId(id, importer, options) {
    if (id !== "ponder") return null;
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    return found && `data:text/javascript,export * from ${JSON.stringify(pathToFileURL(found.id).href)}`;
  },
};

module.exports = {
  plugins: [ponderInNode],
  optimizeDeps: { noDiscovery: true },
  server: {
    middlewareMode: true,
    ws: false,
    watch: isDevelopment ? { ignored: ["**/.intentry/**", "**/dist/**", "**/.git/**"] } : null,
  },
};
