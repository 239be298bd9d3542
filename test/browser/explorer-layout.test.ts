import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { hasChromium, openBrowser } from "./browser";
import { inTabs, isInteractive, limitDownload, openExplorer } from "./explorer-page";
import { samplePaths, waitForNames } from "./explorer-samples";

describe.runIf(hasChromium)("the layout of the explorer's pages", () => {
  let stack: SampleStack;
  let browser: Browser;
  let paths: string[];

  beforeAll(async () => {
    stack = await sampleStack();
    await waitForNames(stack.apiUrl);
    paths = await samplePaths(stack.apiUrl);
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it("fits into 390 px without horizontal scrolling, and is accessible there", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl, { viewport: { width: 390, height: 844 } });
    for (const path of paths) {
      await page.goto(path);
      await isInteractive(page);
      const excess = await page.evaluate<number>(
        "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)",
      );
      expect([path, excess]).toEqual([path, 0]);
      // The labels of a row are below each other.
      const indents = await page.$$eval(
        "td",
        (cells) => new Set(cells.map((cell) => getComputedStyle(cell).paddingLeft)).size,
      );
      expect([path, indents]).toEqual([path, indents === 0 ? 0 : 1]);
    }
    await page.evaluate(axe.source);
    expect(await page.evaluate("axe.run().then(({ violations }) => violations)")).toEqual([]);
    await close();
  });

  it("does not move while it loads, also over a slow connection", async () => {
    // In one tab: on a busy machine, several delay each other's first paint.
    await inTabs(1, paths, async (those) => {
      const { page, layoutShifts, close } = await openExplorer(browser, stack.apiUrl);
      // With the style sheet in its cache, the browser could paint the first part of a page.
      await page.goto("/explore/preflight");
      await isInteractive(page);
      await limitDownload(page, 50 * 1024);
      for (const path of those) {
        await page.goto(path);
        await isInteractive(page);
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        expect([path, await layoutShifts()]).toEqual([path, []]);
      }
      await close();
    });
  });

  it("renders: the pictures are neither blank nor large", async () => {
    for (const [path, colorScheme] of [
      ["/", "light"],
      ["/explore/merchants/1", "light"],
      ["/explore/intents/5", "dark"],
    ] as const) {
      const { page, close } = await openExplorer(browser, stack.apiUrl, { colorScheme });
      await page.goto(path);
      const picture = await page.screenshot();
      // A blank page of this size is a PNG of a few kilobytes.
      expect(picture.length).toBeGreaterThan(40_000);
      expect(picture.length).toBeLessThan(200_000);
      await close();
    }
  });
});
