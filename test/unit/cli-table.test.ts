import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freeCalls } from "../../api/operations/index";
import { openApiDocument } from "../../api/transports/openapi";
import { chartText } from "../../client/cli/chart";
import { columns } from "../../client/cli/columns";
import { csvText } from "../../client/cli/csv";
import { tableText } from "../../client/cli/table";
import { escapeInvisible } from "../../common/text";

const tUSD = `0x${"a5".repeat(20)}`;
const fake = `0x${"fa".repeat(20)}`;
const tokens = new Map([
  [tUSD, { symbol: "tUSD", decimals: 6, source: "list" }],
  [fake, { symbol: "USDC", decimals: 6, source: "contract" }],
] as const);

describe("a response on a terminal", () => {
  const agents = [
    { agent_id: "1", owner: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8", revoked: false, parent: null },
    { agent_id: "2", owner: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc", revoked: true, parent: { id: "1" } },
  ];

  it("is a table for a list, with short addresses and the cursor of the next page", () => {
    expect(tableText({ agents, pagination: { count: 2, next_cursor: "abc" } }, { width: 100 })).toBe(
      [
        "agent_id  owner        revoked  parent",
        "1         0x7099…79c8  false    -",
        '2         0x3c44…93bc  true     {"id":"1"}',
        "",
        "Next page: cursor=abc",
      ].join("\n"),
    );
    expect(tableText({ agents: [], pagination: { next_cursor: null } }, { width: 80 })).toBe("(none)");
  });

  it("has amounts with decimals and the symbols of listed tokens, and times as dates", () => {
    const quotes = [
      { quote_id: "1", amount: "950000000", token: tUSD, expires_at: "1794684300" },
      { quote_id: "2", amount: "1000000", token: fake, expires_at: "1794684300" },
      { quote_id: "3", amount: "12345", token: `0x${"00".repeat(19)}01`, expires_at: "1794684300" },
    ];
    const shown = tableText({ quotes, pagination: {} }, { width: 100, tokens, columns: Object.keys(quotes[0] ?? {}) });
    expect(shown).toBe(
      [
        "quote_id  amount                   token        expires_at",
        "1         950.00 tUSD              tUSD         14 Nov 2026 19:25 UTC",
        "2         1.00 USDC (0xfafa…fafa)  0xfafa…fafa  14 Nov 2026 19:25 UTC",
        "3         12,345 0x0000…0001       0x0000…0001  14 Nov 2026 19:25 UTC",
      ].join("\n"),
    );
  });

  it("has a date for every time, and the amount of a settlement with its token", () => {
    const { schemas = {} } = openApiDocument().components ?? {};
    const inWords = (schema: unknown) => JSON.stringify(schema).toLowerCase();
    const names = Object.values(schemas)
      .flatMap((schema) => Object.entries(("properties" in schema && schema.properties) || {}))
      .filter(([, schema]) => inWords(schema).includes("unix seconds") && inWords(schema).includes('"type":"string"'))
      .map(([name]) => name)
      // Time series are charts.
      .filter((name) => !["from", "to", "start", "points"].includes(name));
    expect(names).toContain("executed_at");
    for (const name of names)
      expect(tableText({ [name]: "1794684300" }, { width: 100 })).toBe(`${name}  14 Nov 2026 19:25 UTC`);
    expect(tableText({ gross_amount: "1530000", token: tUSD }, { width: 100, tokens })).toContain("1.53 tUSD");
  });

  it("is a table for each list of a search", () => {
    const matches = [{ type: "token", id: tUSD, name: "tUSD" }];
    const results = [{ type: "service", id: "1", name: "City Weather", tags: [] }];
    const found = { matches, results, pagination: { next_cursor: null } };
    const shown = (value: object) => tableText(value, { width: 80, columns: columns["search.find"] });
    const list = ["type     id  name", "service  1   City Weather"];
    expect(shown(found).split("\n")).toEqual([
      "matches:",
      "type   id           name",
      "token  0xa5a5…a5a5  tUSD",
      "",
      ...list,
    ]);
    expect(shown({ ...found, matches: [] }).split("\n")).toEqual(list);
    expect(shown({ ...found, results: [] })).toMatch(/^matches:\n.*\n\n\(none\)$/s);
    expect(csvText(found)).toBe("type,id,name,tags\nservice,1,City Weather,[]");
  });

  it("shortens texts and then omits the last columns if they don't fit", () => {
    const rows = [{ id: "1", description: "A long description of something", status: "OPEN", owner: "nobody" }];
    const shown = (width: number) => tableText(rows, { width, columns: ["id", "description", "status", "owner"] });
    expect(shown(80).split("\n")[1]).toBe("1   A long description of something  OPEN    nobody");
    expect(shown(40).split("\n")[1]).toBe("1   A long description …  OPEN    nobody");
    expect(shown(30).split("\n")).toEqual(["id  description         status", "1   A long descriptio…  OPEN"]);
    expect(shown(5).split("\n")).toEqual(["id", "1"]);
  });

  it("is a table for a ranking, without its window", () => {
    const board = { board: "merchants", window: "7d", from: null, ranking: [{ rank: 1, key: "2", count: "3" }] };
    expect(tableText(board, { width: 80, columns: ["rank", "key"] })).toBe("rank  key\n1     2");
  });

  it("has aligned columns for every list", () => {
    const lists = freeCalls.filter(({ operation }) => "cursor" in operation.input.shape).map(({ name }) => name);
    expect(Object.keys(columns)).toEqual(expect.arrayContaining(lists));
    for (const names of Object.values(columns)) {
      const row = Object.fromEntries(names.map((name) => [name, "1".repeat(30)]));
      for (const width of [40, 80, 120]) {
        const lines = tableText([row], { width, columns: names }).split("\n");
        expect(lines).toHaveLength(2);
        for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
      }
    }
  });

  it("is names and values for an object, with complete addresses, and the text of a document", () => {
    expect(tableText({ status: "ok", index: { block: "7", tags: ["a"] } }, { width: 80 })).toBe(
      'status       ok\nindex.block  7\nindex.tags   ["a"]',
    );
    expect(tableText({ input_token: tUSD, fill: { amount_in: "1500000" } }, { width: 80, tokens })).toBe(
      `input_token     ${tUSD}\nfill.amount_in  1.50 tUSD`,
    );
    expect(tableText('{\n "a": 1 }', { width: 80 })).toBe('{\n "a": 1 }');
  });

  it("never contains a control character of the chain's texts", () => {
    expect(escapeInvisible("\u001b[31mred\u202e\u009b")).toBe("\\u001b[31mred\\u202e\\u009b");
    expect(escapeInvisible("a\u200bb\u061c\u{e0041}\ud800")).toBe("a\\u200bb\\u061c\\udb40\\udc41\\ud800");
    expect(escapeInvisible("Größe 中文 🙂 1.50 $")).toBe("Größe 中文 🙂 1.50 $");
    const row = fc.dictionary(fc.string(), fc.jsonValue());
    const value = fc.oneof(fc.jsonValue(), fc.record({ items: fc.array(row), pagination: row }), fc.array(row));
    fc.assert(
      fc.property(value, fc.integer({ min: 20, max: 200 }), (shown, width) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
        expect(tableText(shown, { width })).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });
});

describe("a response as CSV", () => {
  it("has a line of names and a line for each row, with exact values", () => {
    const agents = [
      {
        agent_id: "1",
        owner: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
        fill: { amount: "950000000" },
        tags: ["a"],
      },
      { agent_id: "2", owner: 'a "quoted", text', fill: null, tags: [] },
    ];
    expect(csvText({ agents, pagination: { next_cursor: null } })).toBe(
      [
        "agent_id,owner,fill.amount,tags,fill",
        '1,0x70997970c51812dc3a010c7d01b50e0d17dc79c8,950000000,"[""a""]",',
        '2,"a ""quoted"", text",,[],',
      ].join("\n"),
    );
    expect(csvText({ status: "ok", ok: true })).toBe("status,ok\nok,true");
  });
});

describe("a time series on a terminal", () => {
  const day = 86_400;
  const series = (values: readonly number[], token: `0x${string}` | null = null) => ({
    metric: "intents" as const,
    interval: "day" as const,
    token,
    unit: "raw" as const,
    participant: null,
    from: "0",
    to: String(values.length * day),
    total: String(values.reduce((sum, one) => sum + one, 0)),
    points: values.map((value, index) => ({ start: String(index * day), value: String(value) })),
  });

  it("is a small chart with its total, highest value and times", () => {
    expect(chartText(series([0, 3, 6, 12, 1]), tokens, 80).split("\n")).toEqual([
      "intents by day: 22",
      "",
      "12 │   █ ",
      "   │   █ ",
      "   │   █ ",
      "   │  ██ ",
      "   │ ▄██ ",
      " 0 │ ███▄",
      "   └─────",
      "    1 Jan 1970 00:00 UTC to 5 Jan 1970 00:00 UTC",
    ]);
  });

  it("has dollars", () => {
    const dollars = { ...series([0, 0]), metric: "fill_volume" as const, unit: "usd" as const, total: "1234.5" };
    const [first] = chartText({ ...dollars, points: [{ start: "0", value: "1234.5" }] }, tokens, 80).split("\n");
    expect(first).toBe("fill_volume by day: $1,234.50");
  });

  it("fits into the terminal, and has amounts of a token", () => {
    const lines = chartText(
      series(
        Array.from({ length: 1_000 }, () => 1_000_000),
        tUSD as `0x${string}`,
      ),
      tokens,
      80,
    );
    expect(lines.split("\n")[0]).toBe("intents by day: 1,000.00 tUSD");
    for (const line of lines.split("\n")) expect([...line].length).toBeLessThanOrEqual(80);
    expect(chartText(series([0, 0]), tokens, 80)).toContain("0 │");
  });
});
