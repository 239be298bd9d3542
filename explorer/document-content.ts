/** An item of a catalog or an offer. */
export type Item = {
  /** The id of the service for its merchant. */
  id: string | null;
  name: string | null;
  description: string | null;
  quantity: string | null;
  /** What the price is for, such as "request". */
  unit: string | null;
  price: Price | null;
};

/** A price in a currency that the document names, or in the smallest unit of a token. */
export type Price = { amount: string; currency: string | null; token: string | null };

/** What a merchant asks for a service. */
export type Offer = {
  merchant_id: string | null;
  service_numeric_id: string | null;
  agent: string | null;
  price: Price | null;
  payment_rail: string | null;
  /** Unix seconds. */
  expires_at: string | null;
};

/** A field that has no place of its own, by its name in the document. */
export type OtherField = { name: string; value: string };

/** The parts of a document that have a known shape. Anyone can publish any JSON: whatever has another shape is left out. */
export type DocumentContent = {
  name: string | null;
  description: string | null;
  tags: readonly string[];
  price: Price | null;
  items: readonly Item[];
  /** How many more items the document has. */
  hiddenItems: number;
  offer: Offer | null;
  others: readonly OtherField[];
};

const MAX_ITEMS = 100;
const MAX_FIELDS = 40;
const MAX_TAGS = 20;

/** Longer texts are cut. The exact text of the document is on the same page. */
const MAX_CHARACTERS = 500;

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const shortened = (text: string) => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);

/** A text or a number as text. */
const scalar = (value: unknown): string | null => {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? shortened(value) : null;
};

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The first member with one of the names, in snake_case or camelCase, that the reader accepts. */
function find<Value>(object: Json, names: readonly string[], read: (value: unknown) => Value | null): Value | null {
  for (const name of names.flatMap((one) => [one, camelCase(one)])) {
    const value = Object.hasOwn(object, name) ? read(object[name]) : null;
    if (value !== null) return value;
  }
  return null;
}

/** Reads a text that has a form, in lower case. */
const formed = (form: RegExp) => (value: unknown) => {
  const text = scalar(value)?.toLowerCase();
  return text !== undefined && form.test(text) ? text : null;
};

const address = formed(/^0x[0-9a-f]{40}$/);
const id = formed(/^[1-9]\d{0,77}$/);
const unixSeconds = formed(/^\d{1,12}$/);
const amount = formed(/^\d{1,78}(\.\d{1,78})?$/);

/** A price as a number, or as an object with an amount. The object or its owner names the currency or the token. */
function priceIn(owner: Json, outer: Json = {}): Price | null {
  const asObject = find(owner, ["price", "total"], (value) => (isObject(value) ? value : null));
  const found = asObject
    ? find(asObject, ["amount", "value"], amount)
    : find(owner, ["price", "total", "amount"], amount);
  if (found === null) return null;
  const places = [asObject ?? {}, owner, outer];
  const first = <Value>(names: readonly string[], read: (value: unknown) => Value | null) =>
    places.map((place) => find(place, names, read)).find((value) => value !== null) ?? null;
  const token = first(["token", "asset"], address);
  // Tokens have whole numbers of their smallest unit.
  return {
    amount: found,
    currency: first(["currency", "symbol"], scalar),
    token: /^\d+$/.test(found) ? token : null,
  };
}

const itemIn = (item: Json, outer: Json): Item => ({
  id: find(item, ["service_id", "id", "sku"], scalar),
  name: find(item, ["name", "title"], scalar),
  description: find(item, ["description"], scalar),
  quantity: find(item, ["quantity"], scalar),
  unit: find(item, ["unit", "per"], scalar),
  price: priceIn(item, outer),
});

const offerIn = (quote: Json): Offer => ({
  merchant_id: find(quote, ["merchant_id"], id),
  service_numeric_id: find(quote, ["service_numeric_id"], id),
  agent: find(quote, ["agent"], address),
  price: priceIn(quote),
  payment_rail: find(quote, ["payment_rail"], scalar),
  expires_at: find(quote, ["expires_at"], unixSeconds),
});

const lists = ["services", "items", "products", "lines"] as const;

/** The fields with a text about the whole document. */
const descriptions = ["description", "statement"] as const;

/** The fields that have a place of their own. */
const placed = ["name", "tags", "schema", "quote", ...lists, ...descriptions];

const pricing = ["price", "total", "amount", "currency", "symbol"];

/** A value in one line: a scalar, or a short list of them. */
function lineOf(value: unknown): string | null {
  if (!Array.isArray(value)) return scalar(value);
  const texts = value.slice(0, MAX_TAGS).map(scalar);
  return texts.length > 0 && texts.every((text) => text !== null) ? shortened(texts.join(", ")) : null;
}

/** All other fields. Those of objects are named by both names, such as "details.result". */
function othersIn(document: Json, hasPrice: boolean): OtherField[] {
  const fields = Object.entries(document).flatMap(([name, value]) => {
    if (placed.includes(name) || (hasPrice && pricing.includes(name))) return [];
    if (!isObject(value)) return [[name, value] as const];
    return Object.entries(value).map(([inner, member]) => [`${name}.${inner}`, member] as const);
  });
  return fields
    .flatMap(([name, value]) => {
      const line = lineOf(value);
      return line === null ? [] : [{ name: shortened(name), value: line }];
    })
    .slice(0, MAX_FIELDS);
}

const objectsOf = (value: unknown): readonly Json[] | null => {
  const objects = Array.isArray(value) ? value.filter(isObject) : [];
  return objects.length > 0 ? objects : null;
};

/** Reads the text of a document. Undefined if it is not a JSON object. */
export function contentOf(text: string): DocumentContent | undefined {
  const document: unknown = JSON.parse(text);
  if (!isObject(document)) return undefined;
  const quote = find(document, ["quote"], (value) => (isObject(value) ? value : null));
  const items = find(document, lists, objectsOf) ?? (quote && find(quote, lists, objectsOf)) ?? [];
  const price = priceIn(document);
  const tags = Array.isArray(document.tags) ? document.tags.slice(0, MAX_TAGS) : [];
  return {
    name: find(document, ["name"], scalar),
    description: find(document, descriptions, scalar),
    tags: [...new Set(tags.map(scalar).filter((tag) => tag !== null))],
    price,
    items: items.slice(0, MAX_ITEMS).map((item) => itemIn(item, document)),
    hiddenItems: Math.max(0, items.length - MAX_ITEMS),
    offer: quote && offerIn(quote),
    others: othersIn(document, price !== null),
  };
}
