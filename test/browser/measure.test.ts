import { spawn } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { chromium } from "playwright-core";
import { it } from "vitest";
import { sampleStack } from "../integration/sample-stack";
import { chromiumArguments } from "../support/chromium";
import { executablePath } from "./browser";
import { openExplorer } from "./explorer-page";
const note = `window.firstOperation = new Promise((resolve) => {
  const look = () =>
    document.querySelector(".operation")?.getClientRects().length > 0
      ? requestAnimationFrame(() => resolve(performance.now()))
      : requestAnimationFrame(look);
  look();
})`;
it("measures", async () => {
  const stack = await sampleStack();
  const browser = await chromium.launch({ executablePath, args: chromiumArguments });
  const run = async (label: string) => {
    const times: number[] = [];
    for (let i = 0; i < 7; i++) {
      const { page, close } = await openExplorer(browser, stack.apiUrl);
      await page.addInitScript(note);
      await page.goto("/docs");
      times.push(Math.round(await page.evaluate<number>("window.firstOperation")));
      await close();
    }
    console.log("MEASURED", label, loadavg()[0], times.join(" "));
  };
  await run("as is");
  const busy = [0, 1].map(() => spawn("node", ["-e", "setTimeout(() => process.exit(), 60000); (function f(){ const e=Date.now()+100; while(Date.now()<e); setImmediate(f) })()"]));
  await run("two busy loops, " + cpus().length + " cores");
  for (const one of busy) one.kill();
  await browser.close();
}, 200_000);
