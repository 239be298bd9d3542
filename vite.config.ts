/**
 * For the Vite server inside `ponder start`. It would watch every file below this folder, the database's own among them,
 * though Ponder reads its sources only once. Watching took two thirds of the time until the index is ready.
 */
export default { server: { watch: null } };
