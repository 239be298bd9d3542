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

  const metaOf = (html: string) =>
    Object.fromEntries(
      [...html.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );

  it("each page has a title, a description and a picture for links to it", async () => {
    const { amount_in_max, amount_out_min } = (await (await get("/intents/5")).json()) as Record<string, string>;
    const pages = [
      ["/", "Overview", "Intentry indexes"],
      ["/explore/intents/5", "1,000 tUSD for at least", "Harbor Trader offers 1,000 tUSD for at least 950 M units"],
      ["/explore/merchants/1", "Skyline Data, Merchant #1", "A merchant with 2 receipts, 1 of them fulfilled"],
      ["/explore/receipts/1", "Receipt #1", "Harbor Trader paid 1.5 tUSD to Skyline Data for City Weather"],
    ] as const;
    expect([amount_in_max, amount_out_min]).toEqual(["1000000000", "950000000"]);
    for (const [path, title, description] of pages) {
      const found = metaOf(await (await get(path, { accept: "text/html" })).text());
      expect(found["og:title"]).toContain(title);
      expect(found["og:description"]).toContain(description);
      expect(found.description).toBe(found["og:description"]);
      expect(found["og:url"]).toBe(stack.apiUrl + path);
      expect(found["twitter:card"]).toBe("summary_large_image");
      const picture = await fetch(found["og:image"] ?? "");
      expect(picture.status).toBe(200);
      expect(picture.headers.get("content-type")).toBe("image/svg+xml");
      expect(picture.headers.get("content-security-policy")).toContain("default-src 'none'; sandbox");
      expect(picture.headers.get("cache-control")).toBe("public, max-age=300");
      expect(await picture.text()).toContain(`>${title.split(" ").slice(0, 2).join(" ")}`);
    }
    expect((await get("/explore/intents/99999/picture.svg")).status).toBe(404);
    expect((await get("/explore/nothing/picture.svg")).status).toBe(404);
  });

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
