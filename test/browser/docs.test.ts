import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allOperations } from "../../api/operations/index";
import { introduction } from "../../api/transports/introduction";
import { inWords } from "../../api/transports/openapi";
import { routeOf } from "../../api/transports/rest/route";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { hasChromium, openBrowser } from "./browser";
import { isInteractive, openExplorer } from "./explorer-page";

const MAX_COMPRESSED_BYTES = 300 * 1024;
const MAX_FIRST_OPERATION_MS = 2_000;

type Violation = { id: string; nodes: { target: string[] }[] };

const sectionOf = (page: Page, name: string) => page.locator(`[id="operation-${name}"]`);

const openAll = "for (const one of document.querySelectorAll('details')) one.open = true";

const kept = [
  "operation-search.find",
  "operation-preflight.check",
  "operation-documents.publishCatalog",
  "operation-portfolio.get",
  "type-Intent",
];

const removeOthers = `for (const one of document.querySelectorAll(".operation, .type"))
  if (!${JSON.stringify(kept)}.includes(one.id)) one.remove()`;

/** The first frame in which an operation is part of the page. Frames are not painted before the style sheet has arrived. */
const noteFirstOperation = `window.firstOperation = new Promise((resolve) => {
  const look = () =>
    document.querySelector(".operation")?.getClientRects().length > 0
      ? requestAnimationFrame(() => resolve(performance.now()))
      : requestAnimationFrame(look);
  look();
})`;

const excess = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/** Sends the request of an operation with the values that the page has, and returns the status line. */
async function tryIt(page: Page, name: string): Promise<string> {
  const section = sectionOf(page, name);
  await section.locator("summary").first().click();
  await section.getByRole("button", { name: "Try it" }).click();
  const output = section.locator("output");
  await expect.poll(() => output.innerText(), { timeout: 20_000 }).toMatch(/bytes|^[^\dS]/);
  return output.innerText();
}

describe.runIf(hasChromium)("/docs in a browser", () => {
  let stack: SampleStack;
  let browser: Browser;

  beforeAll(async () => {
    stack = await sampleStack();
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  /** Opens the page. */
  async function open(options: Parameters<typeof openExplorer>[2] = {}, fragment = "") {
    const opened = await openExplorer(browser, stack.apiUrl, options);
    const requested: string[] = [];
    opened.page.on("request", (request) => {
      if (!request.url().startsWith("data:")) requested.push(request.url());
    });
    await opened.page.goto(`/docs${fragment}`);
    await isInteractive(opened.page);
    return { ...opened, requested };
  }

  it("shows the introduction, and every tag, path and title, also without JavaScript", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl, { javaScriptEnabled: false });
    await page.goto("/docs");
    expect(await page.title()).toBe("API reference · Intentry");
    const shown = await page.locator("main").innerText();
    const texts = allOperations.flatMap(({ resource, operation }) => [
      inWords(resource),
      routeOf(operation).path,
      operation.summary,
    ]);
    const [summary = ""] = introduction.split("\n\n");
    expect([summary, ...texts].filter((text) => !shown.includes(text))).toEqual([]);
    await close();
  });

  it("loads at most 300 KB, compressed, from this service only", async () => {
    const { requested, problems, close } = await open();
    const policy = (await fetch(`${stack.apiUrl}/docs`)).headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    const sizes = await Promise.all(
      requested.map(async (url) => {
        const response = await fetch(url, { headers: { "accept-encoding": "br" } });
        return Number(response.headers.get("content-length"));
      }),
    );
    // The page, its script, its style sheet and the icon.
    expect(requested).toHaveLength(4);
    for (const url of requested) expect(new URL(url).origin).toBe(new URL(stack.apiUrl).origin);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_COMPRESSED_BYTES);
    expect(await problems()).toEqual([]);
    await close();
  });

  it("shows its first operation within two seconds", async () => {
    const times: number[] = [];
    // The best of three: other tests may use the processor at the same time.
    for (let load = 0; load < 3; load++) {
      const { page, close } = await openExplorer(browser, stack.apiUrl);
      await page.addInitScript(noteFirstOperation);
      await page.goto("/docs");
      times.push(await page.evaluate<number>("window.firstOperation"));
      await close();
    }
    expect(Math.min(...times), `${times}`).toBeLessThan(MAX_FIRST_OPERATION_MS);
  });

  it("sends every free GET with its default values, and the service answers 200", async () => {
    const { page, problems, close } = await open();
    const free = allOperations.filter(({ operation }) => routeOf(operation).method === "GET" && !operation.paid);
    expect(free.length).toBeGreaterThan(40);
    for (const { name } of free)
      expect([name, await tryIt(page, name)]).toEqual([name, expect.stringMatching(/^200 /)]);
    await expect
      .poll(() => sectionOf(page, "intents.get").locator(".response").inputValue())
      .toContain('"intent_id": "1"');
    expect(await sectionOf(page, "events.subscribe").locator(".response").inputValue()).toContain("event: ready");
    expect(await problems()).toEqual([]);
    await close();
  }, 180_000);

  it("sends a body where the request changes nothing, and offers no request where it would", async () => {
    const { page, close } = await open();
    expect(await tryIt(page, "preflight.check")).toMatch(/^200 /);
    const write = sectionOf(page, "documents.publishCatalog");
    await write.locator("summary").first().click();
    expect(await write.getByRole("button", { name: "Try it" }).count()).toBe(0);
    for (const text of ["catalog_json", "curl -s", "intentry call documents.publishCatalog", "mutate("])
      expect(await write.innerText()).toContain(text);
    await close();
  });

  it("shows what is wrong with a value that the user typed", async () => {
    const { page, close } = await open({}, "#operation-intents.get");
    const section = sectionOf(page, "intents.get");
    await section.getByLabel("id", { exact: true }).fill("x");
    await section.getByRole("button", { name: "Try it" }).click();
    await expect.poll(() => section.locator("output").innerText()).toMatch(/^400 /);
    await expect.poll(() => section.locator(".response").inputValue()).toContain('"error": "id: ');
    await close();
  });

  it("can be used with the keyboard, and copies an example", async () => {
    const { page, close } = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    const section = sectionOf(page, "intents.get");
    await section.locator("summary").first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await expect.poll(() => section.locator(".response").inputValue()).toContain('"intent_id": "2"');
    await section.locator("figure", { hasText: "curl" }).first().getByRole("button", { name: "Copy" }).press("Enter");
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toBe(`curl -s '${stack.apiUrl}/intents/1'`);
    await close();
  });

  it.each([
    [1280, 900],
    [360, 800],
  ])(
    "passes the checks of axe and fits into %i px, light and dark",
    async (width, height) => {
      const { page, problems, close } = await open({ viewport: { width, height } });
      await tryIt(page, "search.find");
      await page.evaluate(openAll);
      expect(await page.evaluate<number>(excess)).toBe(0);
      // All operations have the same structure, and axe would take minutes for all of them.
      await page.evaluate(removeOthers);
      await page.evaluate(axe.source);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const violations = await page.evaluate<Violation[]>("axe.run().then(({ violations }) => violations)");
        const found = violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`));
        expect([colorScheme, found]).toEqual([colorScheme, []]);
      }
      expect(await problems()).toEqual([]);
      await close();
    },
    120_000,
  );

  it("renders, light and dark: the pictures are neither blank nor large", async () => {
    for (const [width, height, colorScheme] of [
      [1280, 900, "light"],
      [360, 800, "dark"],
    ] as const) {
      const viewport = { width, height };
      const { page, close } = await open({ viewport, colorScheme }, "#operation-intents.get");
      await sectionOf(page, "intents.get").getByRole("button", { name: "Try it" }).click();
      await expect.poll(() => sectionOf(page, "intents.get").locator("output").innerText()).toMatch(/^200 .*bytes/);
      const folder = process.env.DOCS_SCREENSHOTS;
      const name = `docs-${width}-${colorScheme}.png`;
      const picture = await page.screenshot(folder === undefined ? {} : { path: join(folder, name) });
      // A blank page of this size is a PNG of a few kilobytes.
      expect(picture.length).toBeGreaterThan(15_000);
      expect(picture.length).toBeLessThan(250_000);
      await close();
    }
  });
});
