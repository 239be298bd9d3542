import { join } from "node:path";
import axe from "axe-core";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumArguments } from "../support/chromium";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { executablePath } from "./browser";
import { isInteractive, limitDownload, openExplorer } from "./explorer-page";
import { samplePaths, waitForNames } from "./explorer-samples";

type Violation = { id: string; nodes: { target: string[]; failureSummary: string }[] };

const checkAccessibility = "axe.run().then(({ violations }) => violations)";

describe.skipIf(executablePath === undefined)("the explorer for all people", () => {
  let stack: SampleStack;
  let browser: Browser;
  let paths: string[];

  beforeAll(async () => {
    stack = await sampleStack();
    await waitForNames(stack.apiUrl);
    paths = await samplePaths(stack.apiUrl);
    browser = await chromium.launch({ executablePath, args: chromiumArguments });
  });
  afterAll(() => browser?.close());

  it("passes the checks of axe on every page, light and dark", async () => {
    const { page, problems, close } = await openExplorer(browser, stack.apiUrl);
    for (const path of paths) {
      await page.goto(path);
      await isInteractive(page);
      await page.evaluate(axe.source);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const violations = await page.evaluate<Violation[]>(checkAccessibility);
        const found = violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`));
        expect([path, colorScheme, found]).toEqual([path, colorScheme, []]);
      }
    }
    expect(await problems()).toEqual([]);
    await close();
  });

  it("fits into 390 px without horizontal scrolling, and is accessible there", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl, { viewport: { width: 390, height: 844 } });
    for (const path of paths) {
      await page.goto(path);
      await isInteractive(page);
      const excess = await page.evaluate<number>(
        "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)",
      );
      expect([path, excess]).toEqual([path, 0]);
    }
    await page.evaluate(axe.source);
    expect(await page.evaluate(checkAccessibility)).toEqual([]);
    await close();
  });

  it("does not move while it loads, also over a slow connection", async () => {
    const { page, layoutShift, close } = await openExplorer(browser, stack.apiUrl);
    // With the style sheet in its cache, the browser could paint the first part of a page.
    await page.goto("/explore/preflight");
    await isInteractive(page);
    await limitDownload(page, 50 * 1024);
    for (const path of paths) {
      await page.goto(path);
      await isInteractive(page);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      expect([path, await layoutShift()]).toEqual([path, 0]);
    }
    await close();
  });

  it("can be used with the keyboard: skip link, search, focus that is visible", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    await page.goto("/explore/intents/1");
    await isInteractive(page);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<{ outline: string; isInMain: boolean }>(`({
      outline: getComputedStyle(document.activeElement).outlineStyle,
      isInMain: document.activeElement.closest("main") !== null,
    })`);
    expect(focused).toEqual({ outline: "solid", isInMain: true });
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("6");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/explore/intents/6");
    await close();
  });

  it("renders: the pictures are neither blank nor large", async () => {
    for (const [name, path, colorScheme, height] of [
      ["explorer-overview", "/", "light", 1_040],
      ["explorer-merchant", "/explore/merchants/1", "light", 900],
      ["explorer-intent", "/explore/intents/5", "dark", 900],
    ] as const) {
      const viewport = { width: 1280, height };
      const { page, close } = await openExplorer(browser, stack.apiUrl, { colorScheme, viewport });
      await page.goto(path);
      const folder = process.env.EXPLORER_SCREENSHOTS;
      const picture = await page.screenshot(folder === undefined ? {} : { path: join(folder, `${name}.png`) });
      // A blank page of this size is a PNG of a few kilobytes.
      expect(picture.length).toBeGreaterThan(40_000);
      expect(picture.length).toBeLessThan(200_000);
      await close();
    }
  });

  it("copies a hash", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.goto("/explore/intents/1");
    await isInteractive(page);
    const button = page.locator("[data-field=intent_hash] .copy");
    const hash = await page.locator("[data-field=intent_hash] code").innerText();
    await button.click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(hash);
    await close();
  });
});
