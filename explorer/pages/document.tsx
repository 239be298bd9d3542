import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Commitment, readCommitments } from "../commitments";
import { Facts, Fold, Heading, Section, Unavailable } from "../components/blocks";
import { OfferSection, OtherFields, PriceList, PriceText } from "../components/document-parts";
import { Hex } from "../components/hex";
import { Terms } from "../components/metadata";
import { RecordLink } from "../components/record-link";
import { Sentence } from "../components/sentence";
import { Account, Count, IsoTime, Status } from "../components/values";
import { contentOf, type DocumentContent } from "../document-content";
import { type DocumentRecord, documentKinds } from "../documents";
import { links } from "../links";
import { page, Redirect, type ViewProps } from "../page";
import { ifAvailable, type OnFailure, type Reads } from "../reads";
import { shortHex } from "../text/format";
import { indentedJson } from "../text/indented-json";

type Data = {
  kind: string;
  title: string;
  hash: string;
  text: string;
  record: DocumentRecord;
  /** Null if the document is not a JSON object. */
  content: DocumentContent | null;
  /** Null if they could not be read. */
  commitments: readonly Commitment[] | null;
  /** The declared hashes that lead somewhere. */
  found: readonly string[];
  /** The ids on chain of the services in a merchant's catalog, by the merchant's ids. */
  services: Readonly<Record<string, string>>;
};

type Check = { state: "CHECKING" | "VERIFIED" | "MISMATCH" | "FAILED"; details: string };

/** Downloads the document's bytes and compares their hash with the one in the address. */
async function check(kind: string, hash: string): Promise<Check> {
  const response = await fetch(`/${kind}/${hash}`);
  if (!response.ok)
    return { state: "FAILED", details: `The document could not be downloaded: status ${response.status}.` };
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { hashOfBytes } = await import("../hashes");
  const actual = hashOfBytes(bytes);
  return actual === hash
    ? { state: "VERIFIED", details: `This browser hashed the ${bytes.length} bytes. keccak256 is the hash above.` }
    : { state: "MISMATCH", details: `This browser hashed the ${bytes.length} bytes. keccak256 is ${actual}.` };
}

function Verification({ kind, hash }: Pick<Data, "kind" | "hash">) {
  const [result, setResult] = useState<Check>({ state: "CHECKING", details: "This browser hashes the document." });
  useEffect(() => {
    check(kind, hash).then(setResult, (error: unknown) =>
      setResult({ state: "FAILED", details: `The check failed: ${error instanceof Error ? error.message : error}.` }),
    );
  }, [kind, hash]);
  return (
    <p class="verification" role="status">
      <Status value={result.state} />
      <br />
      {result.details}
    </p>
  );
}

const text = (value: string) => <code class="text">{value}</code>;
const hash = (value: string, isFound: boolean) => <Hex value={value} href={isFound ? links.find(value) : undefined} />;

/** The fields that the publisher declared. Each kind of document has some of them. */
const declaredFields: readonly [
  keyof DocumentRecord & string,
  label: string,
  shown: (value: string, isFound: boolean) => ComponentChildren,
][] = [
  ["merchant_id", "Merchant", (id) => <RecordLink kind="merchant" id={id} />],
  ["service_id", "Service", text],
  ["service_numeric_id", "Service id", (id) => <RecordLink kind="service" id={id} />],
  ["receipt_id", "Receipt", (id) => <RecordLink kind="receipt" id={id} />],
  ["request_id", "Request id", text],
  ["request_hash", "Request", hash],
  ["quote_hash", "Quote", hash],
  ["payload_hash", "Payload", hash],
  ["agent", "Agent", (agent) => <Account value={agent} full />],
  ["encryption", "Encryption", text],
  ["merchant_key_id", "Key of the merchant", text],
  ["evidence_type", "Kind of evidence", text],
];

const declaredFacts = ({ record, found }: Pick<Data, "record" | "found">) =>
  declaredFields.flatMap(([field, label, shown]) => {
    const value = record[field];
    return value == null ? [] : [{ field, label, value: shown(String(value), found.includes(String(value))) }];
  });

/** The hashes of other documents and quotes that the record names, as far as the search finds them. */
async function findHashes(api: Reads, record: DocumentRecord, onFailure: OnFailure): Promise<readonly string[]> {
  const { request_hash, quote_hash, payload_hash } = record;
  const hashes = [request_hash, quote_hash, payload_hash].filter((one) => one != null);
  const results = await Promise.all(hashes.map((q) => ifAvailable(api.search.find.query({ q }), onFailure)));
  return hashes.filter((_, index) => results[index]?.matches.length);
}

/** What the document is, by its kind. */
function Name({ data: { kind, title, record, content } }: { data: Data }) {
  switch (kind) {
    case "catalogs":
      if (content?.name) return <bdi>{content.name}</bdi>;
      return <>{content && content.items.length > 0 ? "Price list" : title}</>;
    case "quote-responses":
      return content?.offer?.price ? (
        <>
          Offer of <PriceText price={content.offer.price} />
        </>
      ) : (
        <>Offer</>
      );
    case "quote-requests":
      return record.merchant_id ? (
        <>
          Request to <RecordLink kind="merchant" id={record.merchant_id} before="merchant" />
        </>
      ) : (
        <>Request for an offer</>
      );
    case "fulfillment-evidence":
      return (
        <>
          <bdi class="first-capital">{record.evidence_type}</bdi>
          {record.receipt_id && (
            <>
              {" "}
              about <RecordLink kind="receipt" id={record.receipt_id} before="receipt" />
            </>
          )}
        </>
      );
    default:
      return <>Encrypted payload</>;
  }
}

function leadOf({ kind, record, content }: Data) {
  if (kind === "fulfillment-payloads")
    return (
      <>
        Only the holder of the key <bdi>{record.merchant_key_id}</bdi> can read it.
      </>
    );
  return content?.description ? <bdi>{content.description}</bdi> : undefined;
}

const Commitments = ({ commitments }: Pick<Data, "commitments">) => (
  <Section title="On chain" id="commitments">
    {commitments === null ? (
      <Unavailable />
    ) : commitments.length === 0 ? (
      <p class="none">No record was found that has the hash of this document.</p>
    ) : (
      <ul class="sentences">
        {commitments.map(({ description }) => (
          <li key={description}>
            <Sentence text={description} />
          </li>
        ))}
      </ul>
    )}
  </Section>
);

const DocumentView = ({ data, live }: ViewProps<Data>) => {
  const { kind, title, hash, text: exact, record, content, commitments, services } = data;
  return (
    <>
      <Heading
        kind={
          <>
            {title} <Hex value={hash} />
          </>
        }
        lead={leadOf(data)}
      >
        <Name data={data} />
      </Heading>
      {live.isInteractive ? (
        <Verification kind={kind} hash={hash} />
      ) : (
        <p class="verification">
          <Status value="UNCHECKED" />
          <br />
          The browser hashes the document, for which it needs JavaScript.
        </p>
      )}
      {content && content.tags.length > 0 && <Terms texts={content.tags} />}
      {content?.offer && <OfferSection offer={content.offer} />}
      {content && content.items.length > 0 && (
        <PriceList title={content.offer ? "Offered" : "Price list"} content={content} services={services} />
      )}
      {content?.price && content.items.length === 0 && (
        <Section title="Price">
          <p class="sum">
            <PriceText price={content.price} />
          </p>
        </Section>
      )}
      {content && <OtherFields others={content.others} />}
      <Commitments commitments={commitments} />
      <Section title="Publication" note="The publisher declared what it is about. Only the bytes are verified.">
        <Facts
          items={[
            ...declaredFacts(data),
            { field: "created_at", label: "Published", value: <IsoTime value={record.created_at} /> },
            { field: "size_bytes", label: "Bytes", value: <Count value={record.size_bytes} /> },
          ]}
        />
      </Section>
      <section class="card" id="exact">
        <Fold title="Exact content" isOpen={content === null || isBlank(content)}>
          <p class="note">
            Indented here. <a href={`/${kind}/${hash}`}>The exact bytes</a>
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <pre tabIndex={0}>{indentedJson(exact)}</pre>
        </Fold>
      </section>
    </>
  );
};

/** Whether a document has nothing that the page shows. */
const isBlank = ({ name, description, tags, price, items, offer, others }: DocumentContent) =>
  (name ?? description ?? price ?? offer) === null && tags.length + items.length + others.length === 0;

/** The services of the merchant whose catalog it is on chain. */
async function servicesOf(api: Reads, commitments: Data["commitments"], onFailure: OnFailure) {
  const merchant_id = commitments?.find((commitment) => commitment.merchant_id !== undefined)?.merchant_id;
  if (merchant_id === undefined) return {};
  const found = await ifAvailable(api.services.list.query({ merchant_id, limit: 100 }), onFailure);
  return Object.fromEntries((found?.services ?? []).map((one) => [one.service_id, one.service_numeric_id]));
}

/** The content without the fields that the record already has. */
const withoutDeclared = (content: DocumentContent, record: DocumentRecord): DocumentContent => ({
  ...content,
  others: content.others.filter(
    ({ name, value }) => !Object.hasOwn(record, name) && !(name === "type" && value === record.evidence_type),
  ),
});

export const documentPage = page<Data>({
  path: links.document(":kind", ":hash"),
  title: ({ title, hash }) => `${title} ${shortHex(hash)}`,
  async load(api, { kind: name = "", hash: sent = "" }, onFailure) {
    const known = documentKinds.find(({ kind }) => kind === name);
    if (!known) throw new Redirect(links.find(sent));
    const { kind, title } = known;
    const hash = sent.toLowerCase();
    const [record, text] = await Promise.all([known.read(api, hash), known.readText(api, hash)]);
    const [commitments, found] = await Promise.all([
      readCommitments(api, kind, hash, record, onFailure),
      findHashes(api, record, onFailure),
    ]);
    const services = await servicesOf(api, commitments, onFailure);
    const content = contentOf(text);
    return {
      ...{ kind, title, hash, text, record, commitments, found, services },
      content: content ? withoutDeclared(content, record) : null,
    };
  },
  View: DocumentView,
  keepsLongTexts: true,
});
