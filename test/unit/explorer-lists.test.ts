import { describe, expect, it } from "vitest";
import { csvOf } from "../../explorer/lists/csv";
import {
  fromStart,
  knownParameters,
  type ListQuery,
  listInput,
  nextPage,
  pageNumber,
  previousPage,
} from "../../explorer/lists/query";
import type { Parameters } from "../../explorer/page";

const query: ListQuery = {
  filters: [
    { name: "owner", label: "Owner", kind: "account" },
    { name: "from", label: "From", kind: "from" },
    { name: "to", label: "Until", kind: "to" },
  ],
  sorts: [{ name: "newest", label: "Newest first" }],
};

describe("the address of a list", () => {
  it("keeps what the list knows, without empty fields of the form", () => {
    expect(knownParameters(query, { owner: " 0xab ", from: "", utm_source: "mail", sort: "oldest" })).toEqual({
      owner: "0xab",
      sort: "oldest",
    });
  });

  it("has days, of which the last one is part of the range, and the API has seconds", () => {
    expect(listInput(query, { from: "2026-11-18", to: "2026-11-18" })).toEqual({
      from: "1794960000",
      to: "1795046400",
      limit: "25",
    });
  });

  it("passes other texts on, so that the API says what is wrong with them", () => {
    for (const text of ["2026-13-40", "yesterday", "1794960000"])
      expect(listInput(query, { from: text, limit: "x" })).toEqual({ from: text, limit: "x" });
  });

  it("leads from page to page and back, and forgets the oldest pages", () => {
    const parametersOf = (href: string): Parameters =>
      Object.fromEntries(new URL(href, "http://localhost").searchParams);
    const visited: Parameters[] = [{ sort: "oldest" }];
    for (let page = 2; page <= 30; page++)
      visited.push(parametersOf(nextPage("/list", visited.at(-1) ?? {}, `cursor-of-${page}`)));
    expect(visited[1]).toEqual({ sort: "oldest", cursor: "cursor-of-2" });
    expect(visited[3]).toEqual({ sort: "oldest", cursor: "cursor-of-4", trail: "cursor-of-2.cursor-of-3" });
    expect(visited.slice(0, 5).map(pageNumber)).toEqual([1, 2, 3, 4, 5]);
    expect(pageNumber(visited[29] ?? {})).toBeUndefined();
    for (const page of [1, 2, 3, 4])
      expect(parametersOf(previousPage("/list", visited[page] ?? {}))).toEqual(visited[page - 1]);
    let current = visited[29] ?? {};
    for (let steps = 0; steps < 21; steps++) current = parametersOf(previousPage("/list", current));
    expect(current).toEqual({ sort: "oldest" });
    expect(fromStart(visited[3] ?? {}, { sort: undefined })).toEqual({});
  });
});

describe("a CSV", () => {
  it("has the names of the API's fields, and quotes what is not plain", () => {
    expect(csvOf([])).toBe("");
    expect(csvOf([{ id: "1", text: 'a "b", c\nd', none: null, is: true, part: { a: 1 } }])).toBe(
      'id,text,none,is,part\r\n1,"a ""b"", c\nd",,true,"{""a"":1}"\r\n',
    );
  });

  it("has no texts that a spreadsheet runs", () => {
    const texts = ["=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "-12.5", "-7"];
    const lines = csvOf(texts.map((text) => ({ text }))).split("\r\n");
    expect(lines.slice(1, -1)).toEqual([
      "'=1+1",
      "'+1",
      "'-1+1",
      "'@SUM(A1)",
      "'\t=1",
      '"\'\r=1"',
      "'＝1",
      "-12.5",
      "-7",
    ]);
  });
});
