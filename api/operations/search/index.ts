import { BadInput } from "../../core/errors";
import { address, flag, hash, id, isStorable, lengthOf, oneOf, scalar } from "../../core/inputs";
import { listOutput, pageInput } from "../../core/list";
import { operation, z } from "../../core/operation";
import { addressText, decimalText, hashText, uintText } from "../../core/outputs";
import { metadataStates, metadataSubjects } from "../../offchain/tables";
import type { Mode } from "./candidates";
import { matchesOf, recordIn, SearchMatch } from "./matches";
import { getNames } from "./names";
import { type Filters, listFor, type Row } from "./ranked";

const ROUTE = "GET /search";

const MAX_CHARACTERS = 200;
const MAX_INTEGER = 2n ** 31n - 1n;

/** A text to search for. */
const text = scalar<string, string>(
  (sent) =>
    typeof sent === "string" && lengthOf(sent) <= MAX_CHARACTERS && isStorable(sent)
      ? { value: sent.trim() }
      : { problem: `must be a text of at most ${MAX_CHARACTERS} characters, without NUL` },
  {
    type: "string",
    maxLength: MAX_CHARACTERS,
    description:
      "Words of the name, description, tags and capabilities, the last one from three letters; an id, also with its kind (solver 1); an address or hash, or at least its first four digits (0x1234); the symbol or name of a token.",
    example: "weather",
  },
);

const SearchResult = z
  .strictObject({
    type: z.enum(metadataSubjects),
    id: uintText,
    name: z
      .string()
      .nullable()
      .openapi({ description: "From the metadata, as all texts.", example: "Skyline Weather" }),
    description: z.string().nullable(),
    tags: z.array(z.string()),
    capabilities: z.array(z.string()),
    metadata_state: z.enum(metadataStates),
    active: z.boolean(),
    address: addressText.nullable().openapi({ description: "The owner or operator. Null for services." }),
    capability_hash: hashText.nullable(),
    merchant_id: uintText.nullable().openapi({ description: "The merchant of a service." }),
    service_id: z
      .string()
      .nullable()
      .openapi({ description: "The merchant's name for a service.", example: "weather" }),
    fulfilled: uintText.openapi({
      description:
        "Fulfilled receipts of a merchant or service, fills of a solver, receipts of a facilitator, attestations of an attestor.",
    }),
    disputes: uintText.openapi({ description: "Open and upheld disputes of a merchant or service." }),
    price: uintText
      .nullable()
      .openapi({ description: "What was last paid for a service, in the token's smallest unit.", example: "1500000" }),
    price_token: addressText.nullable(),
    score: decimalText.openapi({ description: "The rank by text and record. 0 in a list without q." }),
  })
  .openapi("SearchResult");

const toWire = (row: Row): z.input<typeof SearchResult> => ({
  type: row.type,
  id: row.id,
  name: row.name,
  description: row.description,
  tags: row.tags ?? [],
  capabilities: row.capabilities ?? [],
  metadata_state: metadataStates.find((state) => state === row.metadata_state) ?? "pending",
  active: row.active,
  address: row.address,
  capability_hash: row.capability_hash,
  merchant_id: row.merchant_id,
  service_id: row.service_id,
  fulfilled: String(row.fulfilled),
  disputes: String(row.disputes),
  price: row.price,
  price_token: row.price_token,
  score: String(row.score),
});

/** Fewer letters begin too many words. */
const MIN_LETTERS = 3;

/** The index has the type of a record as a word that begins so. */
const TYPE_WORD = "subject";

/** Plain words, of which the last one has a letter. Texts with operators or punctuation are complete. */
const PLAIN_WORDS = /^((?:[\p{L}\p{N}]+\s+)*)(?=[\p{N}]*\p{L})([\p{L}\p{N}]+)$/u;

/** The last word of a text that is being typed, and those before it. */
function typedWords(q: string): Required<Pick<Filters, "before" | "letters">> {
  const [, before = "", letters = ""] = PLAIN_WORDS.exec(q) ?? [];
  const isPart = lengthOf(letters) >= MIN_LETTERS && !TYPE_WORD.startsWith(letters.toLowerCase());
  return isPart && !/\bor\b/i.test(before) ? { before, letters } : { before: "", letters: "" };
}

type Parsed = Pick<Filters, "words" | "before" | "letters" | "number" | "digits" | "id_of"> & { mode: Mode };

/** The part of a search that its text determines. */
function parseText(q: string): Parsed {
  if (/^0x[0-9a-f]{4,64}$/i.test(q)) return { mode: "hex", digits: q.toLowerCase() };
  // A negation alone would match every record. PostgreSQL would skip tags.
  const words = q.replace(/[<>]/g, " ").replace(/(^|[\s"(])-+/g, "$1");
  const texts = { words, ...typedWords(q) };
  const named = recordIn(q);
  if (!named) return { mode: "words", ...texts };
  const idOf = metadataSubjects.find((subject) => subject === named.kind);
  if (named.kind && !idOf) return { mode: "words", ...texts };
  return { mode: "id", ...texts, number: named.id, ...(idOf && { id_of: idOf }) };
}

type Input = {
  q?: string;
  type?: Filters["type"];
  active?: boolean;
  capability_hash?: string;
  min_fulfilled?: bigint;
  no_disputes?: boolean;
  max_price?: bigint;
  token?: string;
  sort?: "relevance" | "price";
};

/** How the candidates are found; undefined for all records of a type. */
function modeOf({ q, capability_hash, min_fulfilled }: Input): Mode | undefined {
  if (q) return parseText(q).mode;
  if (capability_hash) return "capability";
  return min_fulfilled ? "fulfilled" : undefined;
}

/** Throws for a combination that has no answer, or that would have to read all records. */
function requireBounded(input: Input): void {
  const { type, no_disputes, max_price, token, sort } = input;
  const isPriced = max_price !== undefined || token !== undefined || sort === "price";
  if (isPriced && type !== "service")
    throw new BadInput("type: must be service with max_price, token or sort=price, because only services have prices");
  if (modeOf(input) !== undefined) return;
  if (type === undefined) throw new BadInput("q: is required, or a type, a capability_hash or min_fulfilled");
  if (isPriced || no_disputes)
    throw new BadInput(
      "q: is required with no_disputes, max_price, token or sort=price, or a capability_hash or min_fulfilled",
    );
}

/** Removes filters without a value. */
const present = (filters: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));

const find = operation({
  route: ROUTE,
  summary: "Finds records by text, id, address or hash.",
  description: "Best first, or all of a type. Sort services by price to find the cheapest.",
  input: z.object({
    q: text.optional(),
    type: oneOf(...metadataSubjects).optional(),
    active: flag.optional(),
    capability_hash: hash.optional(),
    min_fulfilled: id.optional().openapi({ description: "The minimum of `fulfilled`.", example: "1" }),
    no_disputes: flag.optional().openapi({ description: "Whether to omit records with open or upheld disputes." }),
    max_price: id.optional().openapi({ description: "The maximum of `price`.", example: "2000000" }),
    token: address.optional().openapi({ description: "Only services that were last paid in this token." }),
    sort: oneOf("relevance", "price")
      .optional()
      .openapi({ description: "With `price`, the cheapest services first. Prices in different tokens don't compare." }),
    ...pageInput,
  }),
  output: listOutput("results", SearchResult).extend({
    matches: z.array(SearchMatch).openapi({
      description: "The exact matches of q, of any kind. Empty if a filter is set, and after the first page.",
    }),
  }),
  example: { q: "weather", type: "service" },
  check: (_, input) => requireBounded(input as Input),
  dependsOn: ["index", "store", "time"],
  async run(context, { q, type, sort, min_fulfilled, capability_hash, ...rest }) {
    const mode = modeOf({ q, capability_hash, min_fulfilled } as Input);
    const { mode: _, ...parsed }: Partial<ReturnType<typeof parseText>> = q ? parseText(q) : {};
    const fulfilled =
      min_fulfilled === undefined ? undefined : min_fulfilled < MAX_INTEGER ? min_fulfilled : MAX_INTEGER;
    await context.store();
    const clock = await context.clock();
    const list = listFor(ROUTE, { mode, type, idOf: parsed.id_of });
    const { cursor, offset, limit, total, ...filters } = rest;
    const isFiltered = [type, capability_hash, min_fulfilled, ...Object.values(filters)].some(
      (value) => value !== undefined,
    );
    const isFirst = cursor === undefined && !offset;
    const matches = q && isFirst && !isFiltered ? await matchesOf(context, q) : [];
    const { rows, pagination } = await list(
      context,
      context.db,
      clock,
      // The type and the order are part of the cursor's scope.
      present({ ...rest, ...parsed, type, sort, capability_hash, min_fulfilled: fulfilled }) as never,
    );
    return { matches, results: rows.map(toWire), pagination };
  },
});

export const search = { find, names: getNames };
