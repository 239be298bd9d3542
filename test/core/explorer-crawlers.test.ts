import { beforeAll, describe, expect, it } from "vitest";
import { waitForNames } from "../browser/explorer-samples";
import { type SampleStack, sampleStack } from "../support/shared-stack";

describe("what crawlers and browsers request", () => {
  let stack: SampleStack;
  const get = (path: string, headers: Record<string, string> = {}) => fetch(stack.apiUrl + path, { headers });

  beforeAll(async () => {
    stack = await sampleStack();
    await waitForNames(stack.apiUrl);
  }, 180_000);

  it("robots.txt names the sitemap, and leaves out forms and endpoints", async () => {
    const response = await get("/robots.txt");
    expect(response.headers.get("content-type")).toBe("text/plain; charset=UTF-8");
    expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
    const lines = (await response.text()).split("\n");
    expect(lines[0]).toBe("User-agent: *");
    for (const path of ["/explore/search", "/explore/preflight", "/trpc", "/mcp"])
      expect(lines).toContain(`Disallow: ${path}`);
    expect(lines).toContain(`Sitemap: ${stack.apiUrl}/sitemap.xml`);
  });

  it("the sitemap has the pages of the records, each of which is found", async () => {
    const response = await get("/sitemap.xml");
    expect(response.headers.get("content-type")).toBe("application/xml; charset=UTF-8");
    expect(response.headers.get("etag")).toBeTruthy();
    const urls = [...(await response.text()).matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = ""]) => url);
    expect(new Set(urls).size).toBe(urls.length);
    const paths = urls.map((url) => url.replace(stack.apiUrl, ""));
    const kinds = ["intents", "agents", "merchants", "services", "solvers", "attestors", "facilitators", "receipts"];
    for (const kind of [...kinds, "disputes"]) expect(paths).toContain(`/explore/${kind}/1`);
    for (const kind of ["quotes", "settlements", "schemas"])
      expect(paths.filter((path) => path.startsWith(`/explore/${kind}/0x`))).not.toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(["/", "/docs", "/explore/intents"]));
    expect(paths).not.toContain("/explore/search");
    const statuses = [];
    for (const path of paths) statuses.push([path, (await get(path, { accept: "text/html" })).status]);
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
  }, 120_000);

  it("the icon is a picture without scripts, also where browsers look for it by default", async () => {
    const html = await (await get("/", { accept: "text/html" })).text();
    expect(html).toContain('<link rel="icon" href="/favicon.svg" type="image/svg+xml"/>');
    for (const path of ["/favicon.svg", "/favicon.ico"]) {
      const response = await get(path);
      expect(response.headers.get("content-type")).toBe("image/svg+xml");
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(response.headers.get("cache-control")).toBe("public, max-age=86400");
      expect(await response.text()).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    }
    expect((await fetch(`${stack.apiUrl}/robots.txt`, { method: "POST" })).status).toBe(405);
  });
});
