import { maxUint256, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allOperations, calls } from "../../api/operations/index";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { publishExamples } from "../../stack/local/sample/published";
import { type Found, findParameters } from "../support/found";
import {
  type DocumentedRoute,
  documentedRoutes,
  type Kind,
  kindOf,
  type Parameter,
  target,
} from "../support/openapi-routes";
import { type Stack, startStack } from "../support/stack";

const MAX = 2n ** 256n - 1n;
const absent: Partial<Record<Kind, string>> = {
  id: String(MAX),
  address: `0x${"de".repeat(20)}`,
  hash: `0x${"de".repeat(32)}`,
};

const notNumbers = ["abc", "-1", "+1", "1.5", "1e3", "0x1", "%201", "1%20", "1%00", "NaN", "%EF%BC%91"];
const longNumbers = [String(MAX + 1n), "9".repeat(90), "9".repeat(200_000)];
const notHex = (digits: number) => [
  "1",
  "0x",
  `0x${"a".repeat(digits - 1)}`,
  `0x${"a".repeat(digits + 1)}`,
  `0x${"a".repeat(digits - 1)}g`,
  `0X${"a".repeat(digits)}`,
  "a".repeat(digits),
  `0x${"a".repeat(digits)}%00`,
  `0x${"a".repeat(digits - 1)}%0a`,
  `0x${"a".repeat(200_000)}`,
];

/** Invalid values of each kind of parameter, percent-encoded, and the error message. */
const wrong: Record<Kind, { values: string[]; sentence: string }> = {
  id: {
    values: [...notNumbers, ...longNumbers],
    sentence: "must be a whole number from 0 to 2^256 - 1 in decimal digits",
  },
  address: { values: notHex(40), sentence: "must be an address: 0x and 40 hex digits" },
  idOrAddress: {
    values: [...notNumbers, ...longNumbers, ...notHex(40).filter((value) => value !== "1")],
    sentence: "must be an id in decimal digits, or an address: 0x and 40 hex digits",
  },
  hash: { values: notHex(64), sentence: "must be a hash: 0x and 64 hex digits" },
  time: {
    values: [...notNumbers, ...longNumbers, "1".repeat(13)],
    sentence: "must be unix seconds: 1 to 12 decimal digits",
  },
  flag: { values: ["1", "0", "yes", "TRUE", "null", "true,false", "%00"], sentence: "must be true or false" },
  name: { values: ["unknown", "open,filled", "%20open", "open%00", "o".repeat(200_000)], sentence: "must be one of " },
  number: { values: [...notNumbers, ...longNumbers, "4", "255", "merchant"], sentence: "must be one of 0 (" },
  limit: { values: [...notNumbers, "0", "00"], sentence: "must be a whole number from 1 to 100" },
  offset: {
    values: [...notNumbers, ...longNumbers, String(2n ** 53n), String(2n ** 53n + 1n), String(2n ** 64n)],
    sentence: "must be a whole number from 0 to 9007199254740991",
  },
  cursor: {
    values: ["x", "c2FtcGxl", "null", "0", "%00", "%F0%9F%98%80", "A".repeat(200_000), "AAAAAAAAAAAAAAAAWyIxIl0"],
    sentence: "is not valid for this list with these filters; start again without a cursor",
  },
  text: { values: ["x".repeat(161), "a%00b"], sentence: "must be a text of 1 to 160 characters, without NUL" },
  q: { values: ["x".repeat(201), "a%00b"], sentence: "must be a text of at most 200 characters, without NUL" },
  records: {
    values: [
      ...["x", ",", "agent", "agent-", "agent-x", "agent--1", "agent-1,", "agent-1-2", "intent-1", "agent-1%00"],
      ...[`agent-${2n ** 256n}`, Array(201).fill("agent-1").join(), "agent-1,".repeat(20_000)],
    ],
    sentence: "must be 1 to 200 records as <type>-<id> or account-<address>, separated by commas, of the types ",
  },
  chains: {
    values: ["atlantis", "local,atlantis", ",", "local,", "lo cal", "local%00", Array(9).fill("local").join()],
    sentence: "must be ",
  },
};

/** Invalid query strings for a parameter of any kind, and the error message. */
const misshapen = (name: string, good: string): [string[], string][] => [
  [[`${name}=`], "is empty"],
  [[name], "is empty"],
  [[`${name}=%zz`], "is not valid percent-encoding"],
  [[`${name}=%ff`], "is not valid percent-encoding"],
  [[`${name}=%`], "is not valid percent-encoding"],
  [[`${name}=${good}`, `${name}=${good}`], "is given more than once"],
];

/** The response to an invalid parameter. The message may be longer. */
const refusal = (name: string, sentence: string) => ({
  status: 400,
  body: {
    error: expect.stringMatching(new RegExp(`^${`${name}: ${sentence}`.replace(/[.^()+]/g, "\\$&")}`)),
    code: "invalid_input",
  },
});

const operationOf = ({ operationId }: DocumentedRoute) =>
  allOperations.find(({ name }) => name === operationId)?.operation;

const exampleOf = (route: DocumentedRoute) =>
  Object.fromEntries(Object.entries(operationOf(route)?.example ?? {}).map(([name, value]) => [name, String(value)]));

type Answer = { status: number; body: Record<string, unknown> };
type List = { pagination: { limit: number; offset: number; count: number; next_cursor: string | null } };

const routes = documentedRoutes.filter(({ method }) => method === "GET");
const isList = ({ parameters }: DocumentedRoute) => parameters.some(({ name }) => name === "cursor");
/** The search has filters that require others. Its own test covers it as a list. */
const SEARCH = "/search";
const lists = routes.filter((route) => isList(route) && route.path !== SEARCH);
const isFilter = (parameter: Parameter) => !["limit", "offset", "cursor", "total"].includes(parameter.name);

/** Whether a parameter of the search is valid only together with others. */
const isDependent = ({ path, name }: { path: string; name: string }) =>
  path === SEARCH && ["max_price", "token"].includes(name);

/** The first order of a list that is not its default. */
const secondSort = (route: DocumentedRoute) =>
  String(route.parameters.find(({ name }) => name === "sort")?.schema.enum?.[1]);

/** Every parameter of every GET route. */
const parameters = routes.flatMap((route) =>
  route.parameters.map((parameter) => ({ route, parameter, path: route.path, name: parameter.name })),
);

describe("bad input", () => {
  let stack: Stack;
  /** Parameters that depend on the chain, unlike the examples. */
  let found: Found;
  /** Valid values for the parameters of each route, from the sample chain. */
  const good = new Map<DocumentedRoute, Record<string, string>>();

  beforeAll(async () => {
    stack = await startStack({ sample: true, tokens: true, env: { X402_DEV_BYPASS: "true" } });
    // Every list needs a second page.
    for (const name of ["second", "third"])
      await stack.write(actor(1), "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
    const facilitator = actor(9);
    await stack.write(facilitator, "CommerceRegistry", "registerFacilitator", [
      facilitator.address,
      "second",
      hashOf("second"),
    ]);
    const payer = actor(1);
    const { TestDollar: token, SettlementAdapter: adapter } = stack.contracts;
    const [quoteHash, settlementPlanHash] = [hashOf("second quote"), hashOf("second plan")];
    const line = { kind: 0, recipient: facilitator.address, token, amount: 1n, metadataHash: quoteHash };
    const settlement = {
      ...{ quoteHash, settlementPlanHash, payer: payer.address, token, grossAmount: 1n },
      ...{ deadline: maxUint256, lines: [line] },
    };
    await stack.write(payer, "TestDollar", "mint", [payer.address, 1n]);
    await stack.write(payer, "TestDollar", "approve", [adapter, 1n]);
    await stack.write(payer, "SettlementAdapter", "executeSettlement", [settlement]);
    await stack.indexed();
    await publishExamples(stack.apiUrl, undefined);
    found = await findParameters(stack.apiUrl);
    for (const route of routes) good.set(route, await goodValues(route));
  });
  afterAll(() => stack?.stop());

  const ask = async (path: string): Promise<Answer> => {
    const response = await fetch(stack.apiUrl + path);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const goodOf = (route: DocumentedRoute) => good.get(route) ?? {};
  /** The required parameters of a request. */
  const needed = (route: DocumentedRoute) => {
    const filters: Record<string, string> = {
      "/attestations": "revoked",
      // For its status.
      "/bids": "solver",
      "/portfolio": "chains",
      "/analytics/timeseries": "token",
      // For its amount.
      "/trust/{kind}/{id}": "token",
      [SEARCH]: "type",
    };
    const filter = filters[route.path];
    const names = route.parameters.filter(({ name, required }) => required || name === filter).map(({ name }) => name);
    return Object.fromEntries(names.map((name) => [name, goodOf(route)[name] ?? ""]));
  };
  const askWith = (route: DocumentedRoute, values: Record<string, string>, ...more: string[]) => {
    // Solvers have no receipts.
    const isOfSolver = "solver" in values && "metric" in goodOf(route);
    return ask(target(route, { ...needed(route), ...(isOfSolver && { metric: "fill_volume" }), ...values }, ...more));
  };
  const listOf = async (route: DocumentedRoute, values: Record<string, string> = {}, ...more: string[]) => {
    const { status, body } = await askWith(route, values, ...more);
    expect({ status, body }).toMatchObject({ status: 200, body: { pagination: {} } });
    const rows = Object.values(body).find(Array.isArray) as Record<string, unknown>[];
    return { rows, pagination: body.pagination as List["pagination"] };
  };

  /** Valid values for a route's parameters: from its newest or first row, or known values of the sample chain. */
  async function goodValues(route: DocumentedRoute): Promise<Record<string, string>> {
    const [policy] = await stack.rows("policy");
    const yesterday = String(Math.floor(Date.now() / 1000) - 86_400);
    const known: Record<string, string> = {
      ...exampleOf(route),
      // Only volumes are by token.
      ...("metric" in exampleOf(route) && { metric: "receipt_volume", token: stack.contracts.TestDollar }),
      ...(route.path === "/events/recent" && {
        ...{ name: "AgentRegistered", contract: "AgentRegistry", agent: "1", merchant_id: "1", block_number: "1" },
        account: actor(1).address.toLowerCase(),
      }),
      from: yesterday,
      to: yesterday,
      ...found[route.operationId],
      id: "1",
      address: policy?.account ?? "",
      owner: actor(1).address.toLowerCase(),
      revoked: "false",
      limit: "1",
      offset: "1",
      total: "true",
      chains: "local",
      include: "metadata",
      min_fulfilled: "1",
      no_disputes: "false",
      max_price: "1",
      token: actor(1).address.toLowerCase(),
      // Not the default order, whose cursors are those without one.
      sort: isList(route) && route.path !== SEARCH ? secondSort(route) : "relevance",
      fulfilled: "true",
      // Not a field of a dispute.
      merchant_id: "1",
      // Not fields of the rows of a list.
      ...(!isList(route) && {
        ...{ window: "all", unit: "raw", amount: "1", service_id: "1" },
        ...Object.fromEntries(["agent", "facilitator", "solver"].map((name) => [name, actor(2).address.toLowerCase()])),
      }),
      // Only listed tokens have prices.
      ...(route.path === "/tokens/{address}/prices" && { address: stack.contracts.TestDollar.toLowerCase() }),
      ...(route.path === "/events/recent" && { agent: "1" }),
    };
    if (!isList(route)) return known;
    good.set(route, known);
    const { rows, pagination } = await listOf(route, { limit: "1" });
    const row = rows[0] ?? {};
    const fromRow = route.parameters.filter(isFilter).flatMap(({ name, in: place }) => {
      const ofOther: Record<string, unknown> = { token: row.input_token, service_id: row.service_numeric_id };
      const value = row[name] ?? row[`${name}_hash`] ?? ofOther[name];
      return place === "query" && value !== undefined ? [[name, String(value)]] : [];
    });
    return { ...known, ...Object.fromEntries(fromRow), cursor: pagination.next_cursor ?? "" };
  }

  it("is tested for every parameter of every GET operation", () => {
    const reads = calls.filter(({ operation }) => operation.route.startsWith("GET "));
    expect(parameters.map(({ path, name }) => `${path} ${name}`).sort()).toEqual(
      reads
        .flatMap(({ operation: { route, input } }) =>
          Object.keys(input.shape).map((name) => `${route.replace("GET ", "")} ${name}`),
        )
        .sort(),
    );
  });

  it.each(parameters)("$name of $path: invalid values return 400 and name it", async ({ route, parameter, name }) => {
    const { values, sentence } = wrong[kindOf(parameter)];
    for (const value of values)
      expect(await askWith(route, { [name]: value }), value.slice(0, 100)).toEqual(refusal(name, sentence));
  });

  it.each(parameters.filter(({ parameter }) => parameter.in === "query"))(
    "$name of $path: empty, repeated and undecodable values return 400 and name it",
    async ({ route, name }) => {
      const { [name]: _, ...others } = needed(route);
      for (const [parts, sentence] of misshapen(name, goodOf(route)[name] ?? ""))
        expect(await ask(target(route, others, ...parts)), parts.join("&")).toEqual(refusal(name, sentence));
    },
  );

  it.each(parameters.filter(({ parameter }) => parameter.in === "path"))(
    "$name of $path: undecodable values return 400 and name it",
    async ({ route, name, parameter }) => {
      // The others are texts too: an id that does not exist.
      const values = kindOf(parameter) === "text" ? ["%00"] : ["%zz", "%ff", "%", "%00", "1%zz", "%2f", "%2e%2e%2f"];
      for (const value of values)
        expect(await askWith(route, { [name]: value }), value).toEqual(
          refusal(name, wrong[kindOf(parameter)].sentence),
        );
    },
  );

  const independent = parameters.filter((one) => !isDependent(one));

  it.each(independent)("$name of $path: a valid value returns 200", async ({ route, name }) => {
    const value = goodOf(route)[name];
    if (!value) throw new Error(`The sample chain has no valid ${name}`);
    expect(await askWith(route, { [name]: value })).toMatchObject({ status: 200 });
  });

  it.each(independent.filter(({ parameter }) => ["address", "hash"].includes(kindOf(parameter))))(
    "$name of $path: hex digits in upper case are the same value",
    async ({ route, name }) => {
      const lower = goodOf(route)[name] ?? "";
      const upper = `0x${lower.slice(2).toUpperCase()}`;
      expect(upper).not.toBe(lower);
      const answer = await askWith(route, { [name]: lower });
      expect(await askWith(route, { [name]: upper })).toEqual(answer);
      if (isList(route)) expect((await listOf(route, { [name]: upper })).rows).not.toHaveLength(0);
      // A document is served as published, without its hash.
      if (!operationOf(route)?.document) expect(JSON.stringify(answer)).toContain(lower);
      expect(JSON.stringify(answer)).not.toContain(upper);
    },
  );

  it("a missing parameter returns 400 and names it", async () => {
    const missing = (error: string) => ({ status: 400, body: { error, code: "invalid_input" } });
    expect(await ask("/analytics/timeseries?interval=day")).toEqual(missing("metric: is required"));
    expect(await ask("/analytics/timeseries?from=x&metric=bids")).toEqual(
      missing("interval: is required; from: must be unix seconds: 1 to 12 decimal digits"),
    );
  });

  it.each([
    [
      "/receipts?sort=amount",
      "token: is required for sort=amount, because amounts of different tokens can't be compared",
    ],
    ["/receipts?sort=smallest", "sort: must be one of newest, oldest, amount"],
    ["/intents?from=2&to=1", "from: must not be later than to"],
    ["/bids?status=open", "status: requires solver or intent_id, because the status of a bid depends on its intent"],
    ["/bids?from=2&to=1", "from: must not be later than to"],
    ["/fills?from=2&to=1", "from: must not be later than to"],
  ])("GET %s returns 400 and says what to do", async (path, error) => {
    expect(await ask(path)).toEqual({ status: 400, body: { error, code: "invalid_input" } });
  });

  it("GET /attestations without a filter returns 400 and names all filters", async () => {
    for (const query of ["", "?limit=5&total=true"])
      expect(await ask(`/attestations${query}`)).toEqual({
        status: 400,
        body: { error: "schema, subject, attester, revoked: at least one of them is required", code: "invalid_input" },
      });
  });

  it("in several parameters is reported in one response", async () => {
    expect(await ask("/intents?status=x&owner=1&limit=0&offset=-1")).toEqual({
      status: 400,
      body: {
        error:
          "status: must be one of open, filled, cancelled, expired; owner: must be an address: 0x and 40 hex digits; " +
          "limit: must be a whole number from 1 to 100; offset: must be a whole number from 0 to 9007199254740991",
        code: "invalid_input",
      },
    });
  });

  describe.each(lists)("the list $path", (route) => {
    it.each(["101", "1000", String(MAX), "9".repeat(90)])("treats limit %s as 100", async (limit) => {
      expect((await listOf(route, { limit })).pagination).toMatchObject({ limit: 100, offset: 0 });
    });

    it("treats a limit of 200,000 digits as 100", async () => {
      expect((await listOf(route, { limit: "9".repeat(200_000) })).pagination.limit).toBe(100);
    });

    it("returns the limit and offset, up to the largest offset", async () => {
      expect((await listOf(route, { limit: "7", offset: "0" })).pagination).toMatchObject({ limit: 7, offset: 0 });
      const offset = Number.MAX_SAFE_INTEGER;
      const { rows, pagination } = await listOf(route, { offset: String(offset) });
      expect(rows).toEqual([]);
      expect(pagination).toEqual({ limit: 50, offset, count: 0, next_cursor: null });
    });

    it("rejects offset together with cursor", async () => {
      const cursor = goodOf(route).cursor ?? "";
      for (const offset of ["0", "1"])
        expect(await askWith(route, { cursor, offset })).toEqual({
          status: 400,
          body: { error: "cursor: can't be used together with offset", code: "invalid_input" },
        });
    });

    it("rejects its own cursor with any character changed", async () => {
      const cursor = goodOf(route).cursor ?? "";
      for (let place = 0; place < cursor.length; place += 3) {
        const changed = cursor.slice(0, place) + (cursor[place] === "A" ? "B" : "A") + cursor.slice(place + 1);
        expect(await askWith(route, { cursor: changed })).toEqual(refusal("cursor", wrong.cursor.sentence));
      }
    });

    it("rejects the cursors of all other lists", async () => {
      for (const other of lists)
        if (other !== route)
          expect(await askWith(route, { cursor: goodOf(other).cursor ?? "" }), other.path).toEqual(
            refusal("cursor", wrong.cursor.sentence),
          );
    });

    it("rejects its cursor with other filters, and accepts it with another limit and in upper case", async () => {
      const cursor = goodOf(route).cursor ?? "";
      const filters = route.parameters.filter(isFilter);
      for (const parameter of filters) {
        const value =
          absent[kindOf(parameter)] ?? (parameter.name === "revoked" ? "true" : goodOf(route)[parameter.name]);
        expect(await askWith(route, { cursor, [parameter.name]: value ?? "" }), parameter.name).toEqual(
          refusal("cursor", wrong.cursor.sentence),
        );
      }
      const page = await listOf(route, { cursor, limit: "1" });
      expect(page.rows).toHaveLength(1);
      expect((await listOf(route, { cursor })).rows[0]).toEqual(page.rows[0]);
      const loud = Object.entries(needed(route)).map(([name, value]) => [
        name,
        value.replace(/(?<=^0x).*/, (digits) => digits.toUpperCase()),
      ]);
      expect((await listOf(route, { ...Object.fromEntries(loud), cursor, total: "true" })).rows[0]).toEqual(
        page.rows[0],
      );
    });

    it("is empty for valid values without a match", async () => {
      for (const parameter of route.parameters.filter(isFilter)) {
        const value = absent[kindOf(parameter)];
        if (value === undefined) continue;
        const { rows, pagination } = await listOf(route, { [parameter.name]: value });
        expect(rows, parameter.name).toEqual([]);
        expect(pagination).toEqual({ limit: 50, offset: 0, count: 0, next_cursor: null });
      }
    });
  });

  // A token that is not known is not missing: its contract may be read later.
  const single = parameters.filter(({ route, parameter }) => parameter.in === "path" && !isList(route));
  const values404: Partial<Record<Kind, string[]>> = {
    id: ["0", "999999", String(MAX)],
    idOrAddress: ["0", "999999"],
    address: [absent.address ?? "", zeroAddress],
    hash: [absent.hash ?? "", zeroHash],
    text: ["999999-1", zeroHash],
  };
  it.each(single.filter(({ path, parameter }) => path !== "/tokens/{address}" && kindOf(parameter) in values404))(
    "$path returns 404 for a valid value without a match",
    async ({ route, name, parameter }) => {
      for (const value of values404[kindOf(parameter)] ?? [])
        expect(await askWith(route, { [name]: value })).toEqual({
          status: 404,
          body: { error: expect.stringContaining(value), code: "not_found" },
        });
    },
  );

  it.each(routes)("$path rejects unknown parameters, including undecodable ones", async (route) => {
    expect((await askWith(route, {}, "", "")).status).toBe(200);
    const unknown: [sent: string, name: string][] = [
      ["foo=1", "foo"],
      ["foo", "foo"],
      ["%zz=1", "%zz"],
      ["bar=%ff", "bar"],
      ["%ff", "%ff"],
      ["=", '""'],
      ["Limit=0", "Limit"],
      ["limit%5B%5D=0", "limit\\[\\]"],
      ["__proto__=1", "__proto__"],
      [`x=${"9".repeat(200_000)}`, "x"],
    ];
    for (const [sent, name] of unknown)
      expect(await askWith(route, {}, sent), sent.slice(0, 20)).toEqual(refusal(name, "unknown; "));
  });
});
