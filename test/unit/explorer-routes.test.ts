import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createGateway } from "../../api/gateway";
import type { Context } from "../../api/operations/context";
import { prefersHtml } from "../../api/transports/explorer/accept";
import { readAssets } from "../../api/transports/explorer/assets";
import { findPage, pagePaths } from "../../explorer/pages";
import { identifiedApp } from "./identified-app";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

describe("the Accept header of /", () => {
  it.each([
    [BROWSER, true],
    ["text/html", true],
    ["text/html;q=0.5, application/json;q=0.4", true],
    ["*/*", false],
    ["", false],
    [undefined, false],
    ["application/json", false],
    ["application/json, text/html", false],
    ["text/html;q=0", false],
    ["text/*", false],
  ])("%s asks for HTML: %s", (accept, isHtml) => {
    expect(prefersHtml(accept)).toBe(isHtml);
  });
});

describe("the explorer's routes", () => {
  const failing = {
    head: async () => {
      throw Object.assign(new Error("secret"), { code: "ECONNREFUSED" });
    },
    config: {},
  } as unknown as Context;
  const gateway = createGateway(failing, pino({ level: "silent" }));
  const request = (path: string, accept: string, method = "GET") =>
    gateway.request(path, { method, headers: { accept } });

  it("give programs an index of links at /, which depends on the Accept header", async () => {
    const response = await request("/", "*/*");
    expect(response.status).toBe(200);
    expect(response.headers.get("vary")).toBe("accept");
    expect(response.headers.get("etag")).toBeTruthy();
    expect(await response.json()).toMatchObject({
      documentation: { openapi: "http://localhost/openapi.json" },
      routes: expect.arrayContaining([
        expect.objectContaining({ method: "GET", url: "http://localhost/agents/{agentId}" }),
      ]),
    });
  });

  it("say in HTML that the database is away, without details", async () => {
    for (const path of ["/", "/explore/agents/1"]) {
      const response = await request(path, BROWSER);
      expect([path, response.status]).toEqual([path, 503]);
      expect(response.headers.get("retry-after")).toBe("5");
      expect(response.headers.get("content-type")).toBe("text/html; charset=UTF-8");
      const text = await response.text();
      expect(text).toContain("The database does not answer; try again shortly");
      expect(text).not.toContain("secret");
    }
  });

  it("show the components with hostile content in development only", async () => {
    for (const path of ["/explore/_kit", "/explore/_kit/picture.svg"])
      expect([path, (await request(path, BROWSER)).status]).toEqual([path, 404]);
    expect(pagePaths).not.toContain("/explore/_kit");
    // The script of the pages has those of this list.
    expect(findPage("/explore/_kit")).toBeUndefined();
  });

  it("show errors with the header, the search and a way back", async () => {
    for (const [path, title] of [
      ["/explore/nowhere", "Page not found"],
      ["/explore/agents/1", "Error 503"],
    ] as const) {
      const text = await (await request(path, BROWSER)).text();
      expect(text).toContain(`<h1>${title}</h1>`);
      expect(text).toContain('<header class="site">');
      expect(text).toContain('<form action="/explore/search" method="get">');
      expect(text).toContain('<a class="button primary" href="/">Overview</a>');
      expect(text).toContain('<nav class="menu" aria-label="Pages">');
    }
  });

  it("allow scripts and styles of this origin only, and no inline ones", async () => {
    const policy = (await request("/explore/nowhere", BROWSER)).headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it("reject other methods and unknown pages", async () => {
    expect((await request("/", "*/*", "POST")).status).toBe(405);
    expect((await request("/explore/agents/1", BROWSER, "DELETE")).status).toBe(405);
    expect((await request("/explore/nowhere", BROWSER)).status).toBe(404);
    expect((await request("/explore/assets/missing.js", "*/*")).status).toBe(404);
    expect((await request("/", BROWSER, "HEAD")).status).toBe(503);
  });
});

describe("the compiled files of the explorer", () => {
  it("are served compressed and immutable", async () => {
    const folder = await mkdtemp(join(tmpdir(), "intentry-assets-"));
    for (const [name, text] of [
      ["a-1.js", "one"],
      ["a-1.js.br", "br"],
      ["a-1.js.gz", "gz"],
    ] as const)
      await writeFile(join(folder, name), text);
    const entry = { script: "a-1.js", style: "a-1.js" };
    const manifest = { folder, explorer: entry, reference: entry, files: ["a-1.js"] };
    await writeFile(join(folder, "explorer.json"), JSON.stringify(manifest));
    const { explorer, reference, files } = await readAssets(join(folder, "explorer.json"));
    await rm(folder, { recursive: true });
    for (const { script } of [explorer, reference]) expect(script).toBe("/explore/assets/a-1.js");
    const app = identifiedApp().get("/", (c) => files.get("a-1.js")?.respond(c) ?? c.notFound());
    const bodies = await Promise.all(
      ["br", "gzip", ""].map(async (encoding) =>
        (await app.request("/", { headers: { "accept-encoding": encoding } })).text(),
      ),
    );
    expect(bodies).toEqual(["br", "gz", "one"]);
    expect((await app.request("/")).headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  it("may be missing, which readAssets reports", async () => {
    await expect(readAssets("/nonexistent/explorer.json")).rejects.toThrow("ENOENT");
  });
});
