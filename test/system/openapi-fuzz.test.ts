import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/local/chain";
import { anyText } from "../support/any-text";
import {
  type DocumentedRoute,
  documentedRoutes,
  type Kind,
  kindOf,
  openApi,
  type Parameter,
} from "../support/openapi-routes";
import { runs } from "../support/seed";
import { type Stack, startStack } from "../support/stack";

const REQUESTS_PER_OPERATION = 150;
const IN_FLIGHT = 10;

const ajv = new Ajv2020({ strict: false, allErrors: true });
// Validate types and patterns only. The document's other keywords are annotations.
ajv.addSchema({ $id: "openapi.json", ...openApi });

/** The schema of each documented status. Undefined for a response without a body. */
const validators = new Map<string, ValidateFunction | undefined>();
const pointer = (text: string) => encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"));
for (const { method, path, responses } of documentedRoutes)
  for (const [status, { content }] of Object.entries(responses)) {
    const place = ["paths", path, method.toLowerCase(), "responses", status, "content", "application/json", "schema"];
    const $ref = `openapi.json#/${place.map(pointer).join("/")}`;
    validators.set(`${method} ${path} ${status}`, content && ajv.compile({ $ref }));
  }

const MAX = 2n ** 256n - 1n;
const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEF"), minLength: digits, maxLength: digits });

const ids = fc.oneof(fc.integer({ min: 0, max: 8 }).map(String), fc.bigInt({ min: 0n, max: MAX }).map(String));
const addresses = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map((place) => actor(place).address),
  hex(40).map((digits) => `0x${digits}`),
);

/** Valid values of each kind of parameter, in all spellings. */
const fitting: Record<Kind, fc.Arbitrary<string>> = {
  id: ids,
  address: addresses,
  idOrAddress: fc.oneof(ids, addresses),
  hash: hex(64).map((digits) => `0x${digits}`),
  time: fc.oneof(fc.integer({ min: 0, max: 999_999_999_999 }).map(String), fc.constantFrom("1700000000", "1700086400")),
  flag: fc.constantFrom("true", "false"),
  name: fc.constantFrom("open", "OPEN", "Filled", "cancelled", "expired", "selected", "REJECTED"),
  number: fc.constantFrom("0", "1", "2", "3", "003"),
  limit: fc.oneof(fc.integer({ min: 1, max: 5 }).map(String), fc.constantFrom("100", "101", "99999999999999999999")),
  offset: fc.oneof(fc.integer({ min: 0, max: 5 }).map(String), fc.constantFrom("9007199254740991")),
  cursor: fc.constant("c2FtcGxl"),
  text: fc.oneof(fc.constantFrom("offchain-1", "offchain-2", "1-1"), fc.string({ minLength: 1, maxLength: 160 })),
  q: fc.oneof(fc.constantFrom("weather", "1", "0x7099"), fc.string({ minLength: 1, maxLength: 200 })),
  records: fc
    .array(fc.tuple(fc.constantFrom("agent", "Solver", "attestor", "merchant", "service", "facilitator"), ids), {
      minLength: 1,
      maxLength: 200,
    })
    .map((records) => records.map((record) => record.join("-")).join()),
  chains: fc.constantFrom("local", "LOCAL", "local,Local", "base", "polygon,local", "atlantis"),
};

const borderline = fc.constantFrom(
  ...["", "0", "-0", "-1", "+1", "1.0", "1e2", "0x", "0X1", "00", "NaN", "Infinity", "null", "undefined", "true "],
  ...[255n, 256n, 2n ** 31n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n, MAX, MAX + 1n].map(String),
  ...["9".repeat(78), "9".repeat(79), "0".repeat(78), "9".repeat(5_000), `0x${"f".repeat(5_000)}`],
  ...["'", "''; --", '"', "\\", "%", "_", "*", "(", "$1", "{}", "[]", "\0", "\u0001", "\r\n", "\t", "\u007f"],
  ...["\u202e", "\ufeff", "\u2028", "\ud7ff", "\u{10ffff}", "ı", "İ", "\u212a", "１", "٣", "a\u0301"],
);
const hostile = fc.oneof(
  borderline,
  fc.string({ unit: "grapheme" }),
  anyText(),
  fc.tuple(fc.string({ minLength: 1, maxLength: 3 }), fc.nat(7_000)).map(([text, times]) => text.repeat(times)),
  fc.bigInt().map(String),
  fc.double().map(String),
);

/** A value as it is sent: percent-encoded, sometimes raw or with invalid encoding. */
const encode = (text: string) => encodeURIComponent(Buffer.from(text).toString());
const encoded = (values: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 9, arbitrary: values.map(encode) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("%", "%zz", "%ff", "%c0%af", "%ed%a0%80", "%00", "+", "%2B1", "a=b", "%u0041"),
    },
  );

const part = fc
  .tuple(encoded(hostile), fc.option(encoded(hostile)))
  .map(([name, value]) => (value === null ? name : `${name}=${value}`));

describe("any request to a documented operation", () => {
  let stack: Stack;
  /** Valid cursors of all lists. */
  let cursors: string[] = [];
  let sent = 0;
  const statuses = new Map<number, number>();

  beforeAll(async () => {
    stack = await startStack({ sample: true });
    const owner = actor(1).address;
    const lists = documentedRoutes.filter(({ parameters }) => parameters.some(({ name }) => name === "cursor"));
    const filters = { limit: "1", owner, revoked: "false", type: "agent" };
    const pages = lists.map(async ({ path, parameters }) => {
      const filled = path.replace("{id}", "1").replace("{address}", owner);
      const known = Object.entries(filters).filter(([filter]) => parameters.some(({ name }) => name === filter));
      const response = await fetch(`${stack.apiUrl}${filled}?${new URLSearchParams(known)}`);
      const { pagination } = (await response.json()) as { pagination: { next_cursor: string | null } };
      return pagination.next_cursor ?? [];
    });
    cursors = (await Promise.all(pages)).flat();
    expect(cursors.length).toBeGreaterThan(5);
  });
  afterAll(() => stack?.stop());

  const valueFor = (parameter: Parameter): fc.Arbitrary<string> => {
    const kind = kindOf(parameter);
    const fits = kind === "cursor" ? fc.constantFrom(...cursors, "c2FtcGxl") : fitting[kind];
    return encoded(fc.oneof({ weight: 4, arbitrary: fits }, { weight: 1, arbitrary: hostile }));
  };

  /** A request target: each parameter is missing, valid, invalid or repeated, mixed with unknown ones, in any order. */
  const targetOf = ({ path, parameters }: DocumentedRoute): fc.Arbitrary<string> => {
    const inPath = parameters.filter((parameter) => parameter.in === "path");
    // An empty segment, or one of dots, would change the path.
    const segments = inPath.map((parameter) => valueFor(parameter).filter((value) => !/^(\.|%2e)*$/i.test(value)));
    const query = parameters
      .filter((parameter) => parameter.in === "query")
      .map((parameter) => {
        const given = valueFor(parameter).map((value) => `${parameter.name}=${value}`);
        return fc.oneof(
          { weight: 8, arbitrary: fc.tuple(given) },
          { weight: 1, arbitrary: fc.tuple(given, given) },
          { weight: parameter.required ? 1 : 12, arbitrary: fc.constant([]) },
        );
      });
    // Any unknown parameter is a 400, so most requests have none.
    const others = fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(part, { minLength: 1, maxLength: 3 }) },
    );
    return fc.tuple(fc.tuple(...segments), fc.tuple(...query), others).chain(([values, known, unknown]) => {
      const parts = [...known.flat(), ...unknown];
      const filled = inPath.reduce(
        (text, { name }, place) => text.replace(`{${name}}`, () => values[place] ?? ""),
        path,
      );
      return fc
        .shuffledSubarray(parts, { minLength: parts.length })
        .map((shuffled) => (shuffled.length > 0 ? `${filled}?${shuffled.join("&")}` : filled));
    });
  };

  /** A body with valid and invalid fields, or any other value. */
  const bodyOf = ({ body }: DocumentedRoute): fc.Arbitrary<string | undefined> => {
    if (!body) return fc.constant(undefined);
    const { properties = {}, example } = body["application/json"].schema;
    const member = fc.oneof(
      fc.constant(example),
      hex(40).map((digits) => `0x${digits}`),
      hostile,
      fc.jsonValue(),
    );
    const members = fc.record(Object.fromEntries(Object.keys(properties).map((name) => [name, member])), {
      requiredKeys: [],
    });
    return fc.oneof(
      members.map((value) => JSON.stringify(value)),
      fc.json(),
      hostile,
    );
  };

  /** The difference between a response and its documentation. Undefined if there is none. */
  async function problemOf(
    route: DocumentedRoute,
    target: string,
    body: string | undefined,
  ): Promise<string | undefined> {
    const { method, path } = route;
    const response = await fetch(stack.apiUrl + target, {
      method,
      ...(body !== undefined && { body, headers: { "content-type": "application/json" } }),
    });
    const text = await response.text();
    const { status } = response;
    sent++;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const said = `${method} ${target.slice(0, 300)} ${body?.slice(0, 300) ?? ""}: ${status} ${text.slice(0, 300)}`;
    if (status >= 500) return `A fault: ${said}`;
    if (!validators.has(`${method} ${path} ${status}`)) return `Not a documented status: ${said}`;
    const validate = validators.get(`${method} ${path} ${status}`);
    if (!validate) return text === "" ? undefined : `A body where none is documented: ${said}`;
    if (!/^application\/json/.test(response.headers.get("content-type") ?? "")) return `Not JSON: ${said}`;
    return validate(JSON.parse(text)) ? undefined : `${ajv.errorsText(validate.errors)}: ${said}`;
  }

  it.each(documentedRoutes)("$method $path responds as documented", async (route) => {
    const requests = fc.array(fc.tuple(targetOf(route), bodyOf(route)), { minLength: IN_FLIGHT, maxLength: IN_FLIGHT });
    await fc.assert(
      fc.asyncProperty(requests, async (batch) => {
        const problems = await Promise.all(batch.map(([target, body]) => problemOf(route, target, body)));
        expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
      }),
      { numRuns: runs(REQUESTS_PER_OPERATION / IN_FLIGHT) },
    );
  });

  it("was sent thousands of times, and was often valid", () => {
    expect(sent).toBeGreaterThanOrEqual(documentedRoutes.length * REQUESTS_PER_OPERATION);
    for (const status of [200, 400, 404]) expect(statuses.get(status), String(status)).toBeGreaterThan(sent / 50);
    expect(stack.log()).not.toContain("failed request");
  });
});
