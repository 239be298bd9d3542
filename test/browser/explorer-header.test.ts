import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "./browser";
import { openSampleExplorer, type SampleExplorer } from "./explorer-on-sample";
import { isInteractive, openExplorer } from "./explorer-page";

const groups = ["Intents", "Commerce", "Participants", "Tools"];

describe.runIf(hasChromium)("the header of the explorer", () => {
  let stack: SampleExplorer["stack"];
  let browser: SampleExplorer["browser"];
  let explorer: SampleExplorer["explorer"];

  beforeAll(async () => {
    ({ stack, browser, explorer } = await openSampleExplorer());
  });
  afterAll(() => browser?.close());

  it("has the pages in groups, of which one is open at a time", async () => {
    const { page } = explorer;
    await page.goto("/explore/solvers");
    await isInteractive(page);
    const menu = page.getByRole("navigation", { name: "Pages" });
    const open = () => menu.locator("details[open] > summary").allInnerTexts();
    for (const group of groups) {
      await menu.getByText(group, { exact: true }).first().click();
      expect(await open()).toEqual([group]);
    }
    await page.keyboard.press("Escape");
    await expect.poll(open).toEqual([]);
    expect(await menu.locator(".current > summary").allInnerTexts()).toEqual(["Participants"]);
  });

  it("switches between light and dark, and keeps the choice", async () => {
    const { page, problems, close } = await openExplorer(browser, stack.apiUrl, { colorScheme: "light" });
    const background = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    await page.goto("/explore/status");
    await isInteractive(page);
    const light = await background();
    const change = page.getByRole("button", { name: "Switch between light and dark" });
    await change.click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.goto("/explore/intents");
    expect(await background()).toBe(dark);
    await isInteractive(page);
    await change.click();
    expect(await background()).toBe(light);
    // Also against the preference of the system.
    await page.emulateMedia({ colorScheme: "dark" });
    await page.reload();
    expect(await background()).toBe(light);
    expect(await problems()).toEqual([]);
    await close();
  });

  it.each([true, false])(
    "is one row on a phone, with a menu of all pages, with JavaScript: %s",
    async (javaScriptEnabled) => {
      const { page, close } = await openExplorer(browser, stack.apiUrl, {
        javaScriptEnabled,
        viewport: { width: 390, height: 844 },
      });
      await page.goto("/");
      const box = await page.locator("header.site").boundingBox();
      expect(box?.height).toBeLessThan(64);
      await page.getByLabel("Menu").click();
      expect(await page.locator(".phone .links strong").allInnerTexts()).toEqual(groups);
      await page.locator(".phone").getByRole("link", { name: "Solvers", exact: true }).click();
      await page.waitForURL("**/explore/solvers");
      await close();
    },
  );

  it("had no errors, no violations of its policy and no requests to other hosts", async () => {
    expect(await explorer.problems()).toEqual([]);
  });
});
