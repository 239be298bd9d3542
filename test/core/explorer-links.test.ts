import { beforeAll, describe, expect, it } from "vitest";
import { sampleLists, samplePaths, waitForNames } from "../browser/explorer-samples";
import { type SampleStack, sampleStack } from "../support/shared-stack";

const contentOf = (html: string) => html.slice(html.indexOf("<main"), html.indexOf("</main>"));

/** The links of a page to this service, and those to others. */
function linksIn(html: string) {
  const all = [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
  return {
    own: all.filter((href) => href.startsWith("/")),
    external: all.filter((href) => !/^[/#]/.test(href)),
  };
}

/** The part of an address that a link leads to. */
const fragmentOf = (link: string) => link.split("#")[1];

/** Stands for all links with the same query on pages of the same kind, of which one is followed. */
const kindOf = (link: string) =>
  /^\/explore\/(?!search)[^?#]*\?/.test(link)
    ? link
        .replace(/\/(\d+|0x[0-9a-f]+)(?=[/?#])/, "/:id")
        .replace(/0x[0-9a-f]+|(?<==)\d+|(?<=cursor=|trail=)[^&#]*/g, ":value")
    : link;

/** Each order of each filter of each tab would be thousands of pages, and each block leads to the next. */
const isEndless = (from: string, to: string) =>
  (from.includes("?") && to.includes("?")) || [from, to].every((path) => path.startsWith("/explore/blocks/"));

/** Whether a link names a record by its id, hash or address: a page of its own, or a search. Filtered lists may be empty. */
const namesRecord = (link: string) => /^\/explore\/([\w-]+\/|search\?q=)[^?]*(\d+|0x[0-9a-f]+)$/.test(link);

describe("the links of the explorer", () => {
  let stack: SampleStack;
  /** Each link, with the page that it is on. */
  const pageOf = new Map<string, string>();
  const external = new Set<string>();
  const dead: string[] = [];

  const load = async (link: string) => {
    const response = await fetch(stack.apiUrl + link, { headers: { accept: "text/html, */*;q=0.5" } });
    return { status: response.status, url: new URL(response.url), text: await response.text() };
  };

  /** Follows a link, and says if it leads nowhere. Returns the HTML if it is a page. */
  async function follow(link: string): Promise<string> {
    const { status, url, text } = await load(link);
    const mustShow =
      namesRecord(link) &&
      url.pathname.startsWith("/explore/") &&
      !/^\/explore\/(preflight$|blocks\/)/.test(url.pathname);
    // A field, a row, an event, or a match of a search. Most blocks have no event.
    const isEmpty = mustShow && !/ data-(field|key|event)=| id="matches"/.test(contentOf(text));
    const fragment = fragmentOf(link);
    const lacksPart = fragment !== undefined && !text.includes(` id="${fragment}"`);
    if (status !== 200 || isEmpty || lacksPart) dead.push(`${link} on ${pageOf.get(link)}: ${status}`);
    return text.startsWith("<!doctype html>") ? text : "";
  }

  beforeAll(async () => {
    stack = await sampleStack();
    await waitForNames(stack.apiUrl);
    const lists = sampleLists.map(([name]) => `/explore/${name}`);
    const known = new Set<string>();
    const queue = ["/", ...(await samplePaths(stack.apiUrl)), ...lists];
    for (const path of queue) pageOf.set(path, "the sample");
    for (const link of queue) {
      if (known.has(kindOf(link))) continue;
      known.add(kindOf(link));
      const html = await follow(link);
      // The reference of the API has tests of its own.
      if (link.startsWith("/docs")) continue;
      const found = linksIn(html);
      for (const href of found.external) external.add(href);
      for (const href of found.own) {
        if (pageOf.has(href) || isEndless(link, href)) continue;
        pageOf.set(href, link);
        queue.push(href);
      }
    }
  }, 240_000);

  it("lead somewhere, also to the part of a page that they name, and those to records to a page that shows one", () => {
    expect(dead).toEqual([]);
    expect(pageOf.size).toBeGreaterThan(500);
  });

  it("to other services are http or https", () => {
    expect([...external].filter((href) => !/^https?:\/\//.test(href))).toEqual([]);
  });

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
