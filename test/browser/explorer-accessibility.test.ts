import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { hasChromium, openBrowser } from "./browser";
import { inTabs, isInteractive, openExplorer, openFolds } from "./explorer-page";
import { samplePaths, waitForNames } from "./explorer-samples";

type Violation = { id: string; nodes: { target: string[]; failureSummary: string }[] };

const checkAccessibility = "axe.run().then(({ violations }) => violations)";

describe.runIf(hasChromium)("the explorer for all people", () => {
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

  it("passes the checks of axe on every page, light and dark", async () => {
    const all: string[] = [];
    await inTabs(2, paths, async (those) => {
      const { page, problems, close } = await openExplorer(browser, stack.apiUrl);
      for (const path of those) {
        await page.goto(path);
        await isInteractive(page);
        await page.evaluate(axe.source);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          const violations = await page.evaluate<Violation[]>(checkAccessibility);
          for (const { id, nodes } of violations)
            all.push(...nodes.map(({ target }) => `${path}, ${colorScheme}, ${id}: ${target}`));
        }
      }
      expect(await problems()).toEqual([]);
      await close();
    });
    expect(all).toEqual([]);
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
    await page.getByRole("combobox").focus();
    await page.keyboard.type("6");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/explore/intents/6");
    await close();
  });

  it("copies a hash", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.goto("/explore/intents/1");
    await isInteractive(page);
    await openFolds(page);
    const button = page.locator("[data-field=intent_hash] .copy");
    const hash = await page.locator("[data-field=intent_hash] code").innerText();
    await button.click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(hash);
    await close();
  });
});
