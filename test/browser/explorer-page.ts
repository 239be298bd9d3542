import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** A page of the explorer, with everything that went wrong in it. */
export type ExplorerPage = {
  page: Page;
  /** Console errors, uncaught errors, failed requests, violations of the policy, and requests to other hosts. */
  problems: () => Promise<string[]>;
  /** What moved unexpectedly since the last navigation, and by how much. */
  layoutShifts: () => Promise<string[]>;
  close: () => Promise<void>;
};

/** Runs in every document before its own scripts. */
const recorder = `
  window.violations = [];
  window.shifts = [];
  const placeOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  const nameOf = (node) => node ? node.nodeName + " " + node.textContent.slice(0, 60) : "a removed node";
  document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective + " " + event.blockedURI));
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput)
        window.shifts.push(value + ": " + sources.map(({ node, previousRect, currentRect }) =>
          nameOf(node) + " from " + placeOf(previousRect) + " to " + placeOf(currentRect)).join("; "));
  }).observe({ type: "layout-shift", buffered: true });
`;

/** Opens a tab that records what goes wrong. A navigation ends the event stream, which is not a failure. */
export async function openExplorer(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<ExplorerPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, baseURL: origin, ...options });
  const page = await context.newPage();
  const recorded: string[] = [];
  await page.addInitScript(recorder);
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== origin) recorded.push(`request to ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    if (reason !== "net::ERR_ABORTED") recorded.push(`${request.url()} failed: ${reason}`);
  });
  page.on("pageerror", (error) => recorded.push(`uncaught: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") recorded.push(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    recorded.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return {
    page,
    async problems() {
      return [...recorded, ...(await page.evaluate<string[]>("window.violations ?? []"))];
    },
    layoutShifts: () => page.evaluate<string[]>("window.shifts"),
    close: () => context.close(),
  };
}

/** Shares the paths out between several tabs, which `visit` opens, at the same time. */
export const inTabs = (count: number, paths: readonly string[], visit: (those: string[]) => Promise<void>) =>
  Promise.all(Array.from({ length: count }, (_, tab) => visit(paths.filter((__, index) => index % count === tab))));

/** Waits until the script has taken over the page. */
export const isInteractive = (page: Page) => page.waitForSelector("html.scripted");

/** Limits how fast a page receives responses. Chromium only. */
export async function limitDownload(page: Page, bytesPerSecond: number): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: -1,
  });
}

/** A field as it is shown: its text, and the exact value that elements for times and numbers carry. */
export type ShownField = {
  text: string;
  time: string | null;
  exact: string | null;
  /** The address or hash that a name or a short text stands for. */
  hex: string | null;
};

/** Opens the parts of a page that are closed at first. */
export const openFolds = (page: Page): Promise<void> =>
  page.evaluate(`for (const part of document.querySelectorAll("main details")) part.open = true;`);

/** The fields of a section, or of all sections, by their names in the API. The first of each name counts. */
export async function shownFields(page: Page, section = "main"): Promise<Record<string, ShownField>> {
  await openFolds(page);
  return page.evaluate(
    `Object.fromEntries([...document.querySelectorAll(${JSON.stringify(`${section} [data-field]`)})].reverse().map((element) => {
      const value = element.querySelector("dd");
      return [element.dataset.field, {
        text: value.innerText.trim(),
        time: value.querySelector("time")?.dateTime ?? null,
        exact: value.querySelector("data")?.value ?? null,
        hex: value.querySelector("[title^='0x']")?.title ?? null,
      }];
    }))`,
  );
}

/** The keys of the rows of a table, in order. */
export const rowKeys = (page: Page, section = "main"): Promise<string[]> =>
  page.$$eval(`${section} tbody tr`, (rows) => rows.map((row) => row.getAttribute("data-key") ?? ""));

/** The records that an account acts for, such as `agent-1`. */
export const rolesOf = (page: Page): Promise<string[]> =>
  page.$$eval("[data-role]", (items) => items.map((item) => item.getAttribute("data-role") ?? ""));

/** Events as sentences of the API: addresses in full, and records by their ids, in lower case. */
export const shownSentences = (page: Page): Promise<{ text: string; state: string }[]> =>
  page.evaluate(
    `[...document.querySelectorAll(".event")].map((element) => {
      const event = element.cloneNode(true);
      for (const party of event.querySelectorAll(".party")) party.replaceWith(party.querySelector("[title]").title);
      for (const hex of event.querySelectorAll("code[title]")) hex.textContent = hex.title;
      for (const amount of event.querySelectorAll(".amount")) amount.replaceWith(amount.querySelector("data").value);
      for (const name of event.querySelectorAll("a.record")) name.remove();
      return {
        text: event.querySelector(".event-text").textContent.replace(/ +/g, " ").toLowerCase(),
        state: event.querySelector(".status").textContent.toLowerCase(),
      };
    })`,
  );

/** An amount as it is shown, with the exact ones, and the token that it links to. */
export type ShownAmount = { exact: string; text: string; title: string; token: string | null; unit: string | null };

/** All amounts of a page. */
export const shownAmounts = (page: Page): Promise<ShownAmount[]> =>
  page.evaluate(
    `[...document.querySelectorAll(".amount")].map((element) => ({
      exact: element.querySelector("data").value,
      text: element.querySelector("data").textContent,
      title: element.querySelector("data").title,
      token: element.querySelector(".unit a[href^='/explore/tokens/']")?.getAttribute("href").split("/").pop() ?? null,
      unit: element.querySelector(".unit")?.textContent ?? null,
    }))`,
  );

/** The time from the start of the navigation until the first text is painted, in milliseconds. */
export const firstPaint = (page: Page): Promise<number> =>
  page.evaluate(
    `new Promise((resolve) => new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") resolve(startTime);
    }).observe({ type: "paint", buffered: true }))`,
  );

/** Whether a shown field has a value of the API. An amount in whole tokens has the exact one beside. */
export function showsValue({ text, time, exact, hex }: ShownField, value: string | number | null): boolean {
  if (value === null) return exact === null && time === null && /^(none|no |not |any )/.test(text);
  const expected = String(value);
  // Times are shown to the second.
  if (time !== null)
    return [Number(expected), Math.floor(Date.parse(expected) / 1000)].includes(Date.parse(time) / 1000);
  if (exact !== null) return exact === expected;
  if (hex === expected) return true;
  // States are shown as words.
  const shown = text.toLowerCase();
  return (
    shown.includes(expected.toLowerCase().replaceAll("_", " ")) ||
    shown.replaceAll(",", "").includes(expected.toLowerCase())
  );
}
