/**
 * For the Vite server inside Ponder's own `ponder start` and `ponder dev`. `npm start` compiles the indexer and runs no Vite
 * (stack/indexer-program.js). By default Vite watches every file below this folder, including the embedded database's.
 */
export default { server: { watch: null } };
