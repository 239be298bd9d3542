import { type RecordKind, recordTitle } from "./components/record-link";
import { documentKinds } from "./documents";
import { links } from "./links";
import { ifFound, type Reads } from "./reads";

/** A page that an id, an address or a hash identifies. */
export type Match = { title: string; href: string };

const isAddress = (text: string) => /^0x[0-9a-f]{40}$/i.test(text);
const isHash = (text: string) => /^0x[0-9a-f]{64}$/i.test(text);

/** An id, which may be written as `#6`; undefined for other texts. */
export function idIn(text: string): string | undefined {
  const digits = /^#?(\d{1,78})$/.exec(text)?.[1];
  return digits === undefined ? undefined : String(BigInt(digits));
}

/** A match if the record exists. */
async function matchIf(record: Promise<unknown>, title: string, href: string): Promise<Match | null> {
  return (await ifFound(record)) === null ? null : { title, href };
}

const recordIf = (record: Promise<unknown>, kind: RecordKind, id: string) =>
  matchIf(record, recordTitle(kind, id), links[kind](id));

/** The records with an id that a search does not find. Ids start at 1 for each kind, so several may match. */
const recordsWithId = (api: Reads, id: string) => [
  recordIf(api.intents.get.query({ id }), "intent", id),
  recordIf(api.receipts.get.query({ id }), "receipt", id),
  recordIf(api.disputes.get.query({ id }), "dispute", id),
  recordIf(api.attestations.get.query({ id }), "attestation", id),
];

/** Intents with a hash. */
async function intentsOf(api: Reads, intentHash: string): Promise<readonly Match[]> {
  const { intents } = await api.intents.list.query({ intent_hash: intentHash, limit: 20 });
  return intents.map(({ intent_id: id }) => ({ title: recordTitle("intent", id), href: links.intent(id) }));
}

/** Attestations about a subject, which may be any hash. */
async function attestationsAbout(api: Reads, subject: string): Promise<readonly Match[]> {
  const { attestations } = await api.attestations.list.query({ subject, limit: 20 });
  return attestations.map(({ attestation_id: id }) => ({
    title: `${recordTitle("attestation", id)} about this subject`,
    href: links.attestation(id),
  }));
}

/** Settlements of a plan, and of a quote. */
async function settlementsWith(api: Reads, hash: string): Promise<readonly Match[]> {
  const filters = [{ settlement_plan_hash: hash }, { quote_hash: hash }];
  const found = await Promise.all(filters.map((filter) => api.settlements.list.query({ ...filter, limit: 20 })));
  return found.flatMap(({ settlements }, index) =>
    settlements.map(({ execution_hash }) => ({
      title: `Settlement of this ${index === 0 ? "plan" : "quote"}`,
      href: links.settlement(execution_hash),
    })),
  );
}

const recordsWithHash = (api: Reads, hash: string) => [
  matchIf(api.transactions.explain.query({ hash }), "Transaction", links.transaction(hash)),
  matchIf(api.quotes.get.query({ quoteHash: hash }), "Quote", links.quote(hash)),
  matchIf(api.settlements.get.query({ executionHash: hash }), "Settlement", links.settlement(hash)),
  matchIf(api.schemas.get.query({ schemaHash: hash }), "Attestation schema", links.schema(hash)),
  ...documentKinds.map(({ kind, title, read }) => matchIf(read(api, hash), title, links.document(kind, hash))),
];

/** Finds the pages that a text identifies, besides the records that a search finds by it. */
export async function exactMatches(api: Reads, text: string): Promise<readonly Match[]> {
  if (isAddress(text)) return [{ title: "Account", href: links.account(text.toLowerCase()) }];
  const id = idIn(text);
  const hash = isHash(text) ? text.toLowerCase() : undefined;
  const records = id !== undefined ? recordsWithId(api, id) : hash !== undefined ? recordsWithHash(api, hash) : [];
  const found = (await Promise.all(records)).filter((match) => match !== null);
  if (hash === undefined) return found;
  const lists = await Promise.all([intentsOf(api, hash), attestationsAbout(api, hash), settlementsWith(api, hash)]);
  return [...found, ...lists.flat()];
}
