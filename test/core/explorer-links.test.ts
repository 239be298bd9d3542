import { beforeAll, describe, expect, it } from "vitest";
import { sampleLists, samplePaths, waitForNames } from "../browser/explorer-samples";
import { type SampleStack, sampleStack } from "../support/shared-stack";

const contentOf = (html: string) => html.slice(html.indexOf("<main"), html.indexOf("</main>"));

/** The links of a page's content to this service. */
const linksIn = (html: string) =>
  [...contentOf(html).matchAll(/<a [^>]*?href="(\/[^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));

/** Whether a link names a record by its id, hash or address: a page of its own, or a search. Filtered lists may be empty. */
const namesRecord = (link: string) => /^\/explore\/([\w-]+\/|search\?q=)[^?]*(\d+|0x[0-9a-f]+)$/.test(link);

describe("the links of the explorer", () => {
  let stack: SampleStack;
  /** Each link, with the page that it is on. */
  const pageOf = new Map<string, string>();

  beforeAll(async () => {
    stack = await sampleStack();
    await waitForNames(stack.apiUrl);
    const lists = sampleLists.map(([name]) => `/explore/${name}`);
    for (const path of [...(await samplePaths(stack.apiUrl)), ...lists]) {
      const html = await (await fetch(stack.apiUrl + path)).text();
      for (const link of linksIn(html)) if (!pageOf.has(link)) pageOf.set(link, path);
    }
  }, 240_000);

  it("lead somewhere, and those to records to a page that shows one", async () => {
    const dead: string[] = [];
    for (const [link, path] of pageOf) {
      const response = await fetch(stack.apiUrl + link);
      const content = contentOf(await response.text());
      const { pathname } = new URL(response.url);
      const mustShow = namesRecord(link) && pathname.startsWith("/explore/") && pathname !== "/explore/preflight";
      // A field, a row, an event, or a match of a search.
      const isEmpty = mustShow && !/ data-(field|key|event)=| id="matches"/.test(content);
      if (response.status !== 200 || isEmpty) dead.push(`${link} on ${path}: ${response.status}`);
    }
    expect(dead).toEqual([]);
    expect(pageOf.size).toBeGreaterThan(100);
  }, 240_000);

  it.each([
    ["an account", /^\/explore\/accounts\/0x/],
    ["an agent", /^\/explore\/agents\/1$/],
    ["a solver", /^\/explore\/solvers\/1$/],
    ["an attestation", /^\/explore\/attestations\/1$/],
    ["a receipt", /^\/explore\/receipts\/1$/],
    ["a dispute", /^\/explore\/disputes\/1$/],
    ["a quote", /^\/explore\/quotes\/0x/],
    ["a settlement", /^\/explore\/settlements\/0x/],
    ["a schema", /^\/explore\/schemas\/0x/],
    ["a token", /^\/explore\/tokens\/0x/],
    ["a transaction", /^\/explore\/transactions\/0x/],
    ["a hash that a search finds", /^\/explore\/search\?q=0x/],
  ])("include one to %s", (_, pattern) => {
    expect([...pageOf.keys()].filter((link) => pattern.test(link))).not.toEqual([]);
  });
});
