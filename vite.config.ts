/**
 * For the Vite server inside `ponder start`. By default it watches every file below this folder, including the embedded
 * database's, although Ponder reads its sources only once. Watching took two thirds of the startup time.
 */
export default { server: { watch: null } };
