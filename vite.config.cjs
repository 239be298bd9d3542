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

module.exports = {
  optimizeDeps: { noDiscovery: true },
  server: {
    middlewareMode: true,
    ws: false,
    watch: isDevelopment ? { ignored: ["**/.intentry/**", "**/dist/**", "**/.git/**"] } : null,
  },
};
