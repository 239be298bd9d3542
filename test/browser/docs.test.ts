import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type SampleStack, sampleStack } from "../integration/sample-stack";
import { chromiumArguments } from "../support/chromium";
import { executablePath } from "./browser";

const Document = z.object({
  info: z.object({ title: z.string(), description: z.string() }),
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ summary: z.string(), tags: z.array(z.string()).length(1) })),
  ),
});

const PREPARATION_MS = 120_000;

/** Records violations of the page's content security policy. Blocked requests cause no request event. */
const recordViolations = `
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.blockedURI));
`;

describe.skipIf(executablePath === undefined)("/docs in a browser", () => {
  let stack: SampleStack;
  let browser: Browser;
  let page: Page;
  let folder: string;
  let document: z.infer<typeof Document>;
  const requests: string[] = [];
  const unanswered = new Set<string>();
  const problems: string[] = [];

  beforeAll(async () => {
    stack = await sampleStack();
    folder = await mkdtemp(join(tmpdir(), "intentry-docs-"));
    document = Document.parse(await (await fetch(`${stack.apiUrl}/openapi.json`)).json());
    browser = await chromium.launch({ executablePath, args: chromiumArguments });
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
    await page.addInitScript(recordViolations);
    page.on("request", (request) => {
      requests.push(request.url());
      unanswered.add(request.url());
    });
    page.on("requestfinished", (request) => unanswered.delete(request.url()));
    page.on("requestfailed", (request) => problems.push(`${request.url()} failed: ${request.failure()?.errorText}`));
    page.on("response", (response) => {
      if (response.status() >= 400) problems.push(`${response.url()} responded with ${response.status()}`);
    });
    page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(`console: ${message.text()}`);
    });
    await page.goto(`${stack.apiUrl}/docs`);
  }, PREPARATION_MS);

  afterAll(async () => {
    await browser?.close();
    if (folder) await rm(folder, { recursive: true });
  });

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );

  it("has a title, and shows the introduction of the OpenAPI document", async () => {
    expect(await page.title()).toBe("Intentry API");
    await page.getByRole("heading", { name: document.info.title, exact: true }).waitFor();
    const [firstParagraph = ""] = document.info.description.split("\n\n");
    await page.getByText(firstParagraph).waitFor();
  });

  it("shows every tag, path and summary of the OpenAPI document", async () => {
    const texts = operations().flatMap(({ path, summary, tags }) => [path, summary, ...tags]);
    expect(texts.length).toBeGreaterThanOrEqual(3 * 30);
    const missing = async () => {
      const shown = await page.locator("body").innerText();
      return texts.filter((text) => !shown.includes(text));
    };
    await expect.poll(missing, { timeout: 60_000 }).toEqual([]);
  });

  it("renders: the screenshot is not blank", async () => {
    const path = join(process.env.DOCS_SCREENSHOT ?? folder, "docs.png");
    const picture = await page.screenshot({ path });
    // A blank page of this size is a PNG of a few kilobytes.
    expect(picture.length).toBeGreaterThan(40_000);
  });

  it("sends a test request directly to the gateway and shows the response", async () => {
    const before = requests.length;
    const operation = page.locator("section", {
      has: page.getByRole("heading", { name: document.paths["/intents/{id}"]?.get?.summary }),
    });
    await operation.getByRole("button", { name: "Test Request" }).first().click();
    await page.getByRole("button", { name: /^Send get request/i }).click();
    await expect.poll(() => requests.slice(before)).toEqual([`${stack.apiUrl}/intents/1`]);
    await page.getByText("SWAP_EXACT_IN_MAX_SLIPPAGE").first().waitFor();
  });

  it("requests nothing from other hosts, and nothing fails", async () => {
    await expect.poll(() => [...unanswered], { timeout: 30_000 }).toEqual([]);
    expect(requests.filter((url) => new URL(url).origin !== stack.apiUrl)).toEqual([]);
    // A library in the script tests whether eval is allowed, and works without it.
    expect(await page.evaluate("window.violations.filter((what) => what !== 'eval')")).toEqual([]);
    expect(problems).toEqual([]);
  });
});
