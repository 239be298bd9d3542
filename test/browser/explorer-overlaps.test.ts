import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "./browser";
import { openSampleExplorer, type SampleExplorer } from "./explorer-on-sample";
import { inTabs, isInteractive, openExplorer } from "./explorer-page";
import { sampleLists, samplePaths } from "./explorer-samples";
import { problemsOfTexts, widths } from "./explorer-texts";

const KIT = "/explore/_kit";

describe.runIf(hasChromium)("the texts of the explorer's pages at 1280, 768 and 390 px", () => {
  let stack: SampleExplorer["stack"];
  let browser: SampleExplorer["browser"];

  beforeAll(async () => {
    ({ stack, browser } = await openSampleExplorer());
  });
  afterAll(() => browser?.close());

  it("neither overlap nor are cut or broken inside a short word, on every kind of page", async () => {
    const lists = sampleLists.map(([name]) => `/explore/${name}`);
    const paths = [...new Set([...(await samplePaths(stack.apiUrl)), ...lists])];
    await inTabs(2, paths, async (those) => {
      const { page, close } = await openExplorer(browser, stack.apiUrl);
      for (const path of those) {
        await page.goto(path);
        await isInteractive(page);
        expect([path, await problemsOfTexts(page)]).toEqual([path, []]);
      }
      await close();
    });
  });

  it("are in the elements that the server wrote, because no element is where its parent ends", async () => {
    const tagsIn = (html: string) => html.match(/<[a-z][a-z0-9]*/gi)?.join("");
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    await page.goto(KIT);
    for (const path of [...(await samplePaths(stack.apiUrl)), "/explore/intents", KIT]) {
      const html = await (await fetch(stack.apiUrl + path, { headers: { accept: "text/html" } })).text();
      const written = html.slice(html.indexOf("<main"), html.indexOf("</main>"));
      const parsed = await page.evaluate<string>(
        `new DOMParser().parseFromString(${JSON.stringify(html)}, "text/html").querySelector("main").outerHTML`,
      );
      expect([path, tagsIn(parsed)]).toEqual([path, tagsIn(written)]);
    }
    await close();
  });

  it("neither overlap nor are cut in any component with hostile content", async () => {
    const { page, problems, close } = await openExplorer(browser, stack.apiUrl);
    await page.goto(KIT);
    await isInteractive(page);
    expect(await problemsOfTexts(page)).toEqual([]);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator("main script, main img, main [onerror]").count()).toBe(0);
    expect(await problems()).toEqual([]);
    await close();
  });

  it("show every component with hostile content, light and dark, accessible to all", async () => {
    const folder = await mkdtemp(join(tmpdir(), "explorer-kit-"));
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    await page.goto(KIT);
    await isInteractive(page);
    await page.evaluate(axe.source);
    for (const width of widths)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        const path = join(folder, `${width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true });
        // A blank page of this size is a PNG of a few kilobytes.
        expect((await stat(path)).size).toBeGreaterThan(200_000);
        const violations = await page.evaluate<{ id: string; nodes: { target: string[] }[] }[]>(
          "axe.run().then(({ violations }) => violations)",
        );
        const found = violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`));
        expect([width, colorScheme, found]).toEqual([width, colorScheme, []]);
      }
    await rm(folder, { recursive: true });
    await close();
  });
});
