/**
 * For the Vite server in which Ponder runs this project.
 *
 * Workaround of Ponder 0.16.10: docs/upstream.md#vite
 *
 * Ponder uses Vite to compile, and serves nothing with it. Without `middlewareMode`, Vite ends the process on SIGTERM before
 * Ponder has released the lock on its schema, and the next start waits for the lock to expire. Without `watch`, Vite watches
 * every file below this folder, including those of the embedded database.
 *
 * Test: test/system/ponder-command.test.ts "leaves no lock on its schema after SIGTERM"
 */
export default { server: { middlewareMode: true, watch: null } };
