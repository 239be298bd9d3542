// Runs a program, after a build if a source is newer than dist/: node stack/run.js start
// Deployments build once, and run node dist/current/start.js.
import { spawnSync } from "node:child_process";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "..");
const current = join(root, "dist", "current");

/** Whether a source, or an installed package, is newer than the build. */
function isStale() {
  try {
    const { startedAt, sources } = JSON.parse(readFileSync(join(current, "build.json"), "utf8"));
    return [...sources, "stack/build.js", "stack/dist.js", "node_modules/.package-lock.json"].some(
      (source) => statSync(join(root, source)).mtimeMs > startedAt,
    );
  } catch {
    return true;
  }
}

/** Builds the programs if they are stale. Exits if that fails. @param {string} [program] */
export function requireBuild(program) {
  if (!isStale()) return;
  // The output of other programs is for programs.
  if (program === "start") console.log("Building the programs");
  const { status } = spawnSync(process.execPath, [join(root, "stack", "build.js")], { stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [program] = process.argv.splice(2, 1);
  requireBuild(program);
  if (program === undefined) process.exit();
  const file = join(current, `${program}.js`);
  process.argv[1] = file;
  await import(pathToFileURL(file).href);
}
