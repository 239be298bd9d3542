/**
 * For the Vite server inside Ponder. By default it watches every file below this folder, also those of the embedded database.
 * Only `ponder dev` needs a watcher. CommonJS, because Vite writes a compiled copy of any other format beside this file, and
 * the folder of a deployed project may be read-only.
 */
const isDevelopment = process.argv.includes("dev");

module.exports = {
  server: { watch: isDevelopment ? { ignored: ["**/.intentry/**", "**/dist/**", "**/.git/**"] } : null },
};
