import { encodeFunctionData, erc20Abi, getContractAddress } from "viem";
import { routeOf } from "../../../api/transports/rest/route";
import { localAccount } from "../../../config/local-accounts";
import { addressOf, type Parameters } from "../lists/asking";
import { askJson, type Example, exampleRequests, itemsOf, type Request } from "./examples";

/** Values for any parameter: of unknown rows, of every type, in unusual notation, and malformed. */
const oddValues = [
  "999999",
  "0",
  "001",
  String(2n ** 256n),
  `0x${"de".repeat(20)}`,
  `0x${"DE".repeat(32)}`,
  "true",
  "x",
  "-1",
];

const ids = Array.from({ length: 8 }, (_, index) => String(index + 1));

const statuses = ["open", "filled", "cancelled", "expired", "selected", "rejected"];

/** The accounts of the sample, and the contracts that its deployer created. */
const deployer = localAccount(0).address;
const accounts = [
  ...Array.from({ length: 20 }, (_, index) => localAccount(index).address.toLowerCase()),
  ...Array.from({ length: 20 }, (_, nonce) => getContractAddress({ from: deployer, nonce: BigInt(nonce) })),
];

const get = (path: string, parameters: Parameters): Request => ({ method: "GET", path: addressOf(path, parameters) });

/** Where hashes for the parameters of paths come from: a list, and the key in its items. */
const hashSources: Readonly<Record<string, { list: string; key: string }>> = {
  intentHash: { list: "/intents", key: "intent_hash" },
  quoteHash: { list: "/quotes", key: "quote_hash" },
  schemaHash: { list: "/attestations/schemas", key: "schema_hash" },
  hash: { list: "/intents", key: "tx_hash" },
};

/** Values of rows that may exist, for a parameter of a path. */
async function presentValues(baseUrl: string, name: string): Promise<string[]> {
  if (name === "address") return accounts;
  const source = hashSources[name];
  if (!source) return ids;
  return itemsOf(await askJson(baseUrl, source.list)).map((item) => String(item[source.key]));
}

/** Requests with other values in the path. */
async function pathCases(baseUrl: string, { operation, parameters }: Example): Promise<Request[]> {
  const { path, pathParameters } = routeOf(operation);
  const [name] = pathParameters;
  if (name === undefined) return [];
  const values = [...oddValues, ...(await presentValues(baseUrl, name))];
  return values.map((value) => get(path, { ...parameters, [name]: value }));
}

const pages: Parameters[] = [
  { limit: "1" },
  { limit: "2", offset: "1" },
  { offset: "2" },
  { limit: "500", total: "true" },
  { total: "true" },
  { limit: "0" },
  { limit: "x" },
  { offset: "-1" },
  { total: "x" },
  { sort: "oldest" },
  { sort: "newest", total: "true" },
  { sort: "x" },
  { cursor: "x" },
  { cursor: "x", offset: "1" },
];

const paging = new Set(["limit", "offset", "cursor", "total", "sort"]);

const columnOf = (filter: string) => ({ schema: "schema_hash" })[filter] ?? filter;

/** Sets of filters: none, each filter with several values, and each pair with the values of one row. */
function filterSets(filters: readonly string[], items: readonly Record<string, unknown>[]): Parameters[] {
  const valuesOf = (filter: string) => {
    const present = items.map((item) => item[columnOf(filter)]).filter((value) => value !== undefined);
    return [...new Set([...present.map(String), ...(filter === "status" ? statuses : []), ...oddValues])];
  };
  const single = filters.flatMap((filter) => valuesOf(filter).map((value) => ({ [filter]: value })));
  const [first] = items;
  const pairs = filters.flatMap((one, index) =>
    filters.slice(index + 1).map((other) => ({
      [one]: String(first?.[columnOf(one)]),
      [other]: String(first?.[columnOf(other)]),
    })),
  );
  return [{}, ...single, ...pairs];
}

/** A list with one set of filters. All its pages are compared, by cursor. */
export type Listing = { path: string; parameters: Parameters };

/** Requests for pages of a list and for its filters. */
async function listCases(baseUrl: string, { operation, parameters, request }: Example) {
  const { path, otherParameters } = routeOf(operation);
  const filters = [...otherParameters].filter((name) => !paging.has(name));
  const answer = await askJson(baseUrl, request.path);
  const required = Object.fromEntries(Object.entries(parameters).filter(([name]) => !filters.includes(name)));
  const sets = filterSets(filters, itemsOf(answer));
  const listings: Listing[] = [
    { path, parameters },
    ...sets.map((set) => ({ path, parameters: { ...required, ...set } })),
  ];
  const requests = pages.map((page) => get(path, { ...parameters, ...page }));
  return { listings, requests };
}

/** Bodies for /preflight: what the policies of all accounts allow or deny, and malformed ones. */
async function preflightCases(baseUrl: string): Promise<Request[]> {
  const bodies: Record<string, unknown>[] = [{}, { account: "x" }, { account: deployer }];
  for (const account of accounts) {
    const policies = itemsOf(await askJson(baseUrl, `/accounts/${account}/policies`));
    for (const { merchant, token, facilitator, target = token, selector } of policies) {
      const call = (amount: bigint) =>
        encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [deployer, amount] });
      for (const data of [undefined, "0x12", selector, call(1n), call(10n ** 30n), "0x1", "x"])
        for (const value of ["0", "5", String(10n ** 20n)]) bodies.push({ account, target, value, data });
      for (const amount of ["1", String(10n ** 30n), "x"])
        bodies.push({ account, payment: { merchant, token, facilitator, amount } });
    }
  }
  return bodies.map((body) => ({ method: "POST", path: "/preflight", body }));
}

function catalogCases(): Request[] {
  const catalog_json = JSON.stringify({ services: [], number: Math.random() });
  const bodies: Record<string, unknown>[] = [
    { catalog_json },
    { catalog_json, merchant_id: "1" },
    { catalog_json, merchant_id: "2", service_id: "weather" },
    { catalog_json, expected_hash: `0x${"00".repeat(32)}` },
    { catalog_json, merchant_id: "x" },
    { catalog_json: "{" },
    { catalog_json: 1 },
    {},
  ];
  return bodies.map((body) => ({ method: "POST", path: "/catalogs", body }));
}

const isList = ({ operation }: Example) => "cursor" in operation.input.shape;

type Cases = {
  requests: Request[];
  listings: Listing[];
  /** Writes, whose answers depend on their order. */
  writes: Request[];
};

/** The requests and lists to compare, from the examples and the rows of a server. Default: all routes. */
export async function casesOf(baseUrl: string, routes?: ReadonlySet<string>): Promise<Cases> {
  const examples = (await exampleRequests(baseUrl)).filter(({ route }) => routes?.has(route) ?? true);
  const paths = await Promise.all(examples.map((example) => pathCases(baseUrl, example)));
  const lists = await Promise.all(examples.filter(isList).map((example) => listCases(baseUrl, example)));
  return {
    listings: lists.flatMap(({ listings }) => listings),
    requests: [
      ...examples.map(({ request }) => request),
      ...paths.flat(),
      ...lists.flatMap(({ requests }) => requests),
      ...(await preflightCases(baseUrl)),
    ],
    writes: catalogCases(),
  };
}
