import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { describe, expect, it } from "vitest";
import type { Readiness } from "../../api/monitor/readiness";
import { canMount } from "../support/npm-start";
import { useStateFolder } from "../support/state-folder";

const SETTLED = { timeout: 120_000, interval: 500 };

async function* zeros() {
  for (;;) yield Buffer.alloc(65_536);
}

if (!canMount) console.log("The test of a full disk is skipped: it needs the right to mount a tmpfs in a namespace.");

describe.skipIf(!canMount)("npm start on a full disk", () => {
  const { start, stateFolder, ports } = useStateFolder();

  it("keeps running, says that the store is full, and recovers when there is space", async () => {
    const folder = stateFolder();
    const mount = `mount -t tmpfs -o size=400m,mode=755 tmpfs ${folder}`;
    const run = start({ SAMPLE_ACTIVITY: "false" }, { mount });
    await run.printed("Stop with Ctrl-C");
    let isEnded = false;
    void run.ended.then(() => {
      isEnded = true;
    });
    const apiUrl = `http://127.0.0.1:${ports().API_PORT}`;
    const ready = async () => (await (await fetch(`${apiUrl}/ready`)).json()) as Readiness;
    const publish = (text: string) =>
      fetch(`${apiUrl}/catalogs`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ catalog_json: JSON.stringify([text]) }),
      });
    await expect.poll(ready, SETTLED).toMatchObject({ ready: true, store: "ok" });
    expect((await publish("before")).status).toBe(201);

    // The folder as the process sees it.
    const own = join("/proc", String(run.pid), "root", folder);
    const filler = join(own, "filler");
    await expect(pipeline(zeros(), createWriteStream(filler))).rejects.toMatchObject({ code: "ENOSPC" });
    await expect.poll(ready, SETTLED).toMatchObject({
      ready: false,
      store: "full",
      reasons: expect.arrayContaining(["The disk of the store's database is full; writes return 503."]),
    });
    // Documents that can't be compressed, until one does not fit into the files that the database already has.
    const publishRandom = async () => (await publish(randomBytes(45_000).toString("base64"))).status;
    await expect.poll(publishRandom, SETTLED).toBe(503);

    // PostgreSQL does not survive every full disk.
    const [postmaster = ""] = (await readFile(join(own, "postgres", "postmaster.pid"), "utf8")).split("\n");
    process.kill(Number(postmaster), "SIGKILL");
    await expect.poll(run.output, SETTLED).toContain("PostgreSQL starts again when it has space.");
    expect(isEnded).toBe(false);

    await rm(filler);
    await expect.poll(ready, SETTLED).toMatchObject({ ready: true, store: "ok" });
    await expect.poll(() => readFile(join(own, "ponder.log"), "utf8"), SETTLED).toMatch(/\d+ lines are missing/);
    expect((await publish("after")).status).toBe(201);
    expect(await run.stop()).toBe(0);
  });
});
