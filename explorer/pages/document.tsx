import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Facts, Heading, Section } from "../components/blocks";
import { Hex } from "../components/hex";
import { RecordLink } from "../components/record-link";
import { Account, Count, IsoTime, None, Status } from "../components/values";
import { type DocumentRecord, documentKinds } from "../documents";
import { links } from "../links";
import { page, Redirect, type ViewProps } from "../page";
import { shortHex } from "../text/format";
import { indentedJson } from "../text/indented-json";

type Data = { kind: string; title: string; hash: string; text: string; record: DocumentRecord };

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
const hash = (value: string) => <Hex value={value} full />;

/** The fields that the publisher declared. Each kind of document has some of them. */
const declaredFields: readonly [
  keyof DocumentRecord & string,
  label: string,
  shown: (value: string) => ComponentChildren,
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

const declaredFacts = (record: DocumentRecord) =>
  declaredFields
    .filter(([field]) => record[field] !== undefined)
    .map(([field, label, shown]) => {
      const value = record[field];
      return { field, label, value: value == null ? <None /> : shown(String(value)) };
    });

const DocumentView = ({ data: { kind, title, hash, text: content, record }, live }: ViewProps<Data>) => (
  <>
    <Heading kind={title}>
      <Hex value={hash} full />
    </Heading>
    <Section title="Verification">
      {live.isInteractive ? (
        <Verification kind={kind} hash={hash} />
      ) : (
        <p class="verification">
          <Status value="UNCHECKED" />
          <br />
          The browser hashes the document, for which it needs JavaScript.
        </p>
      )}
    </Section>
    <Section title="Publication" note="The publisher declared the fields below the time. Only the bytes are verified.">
      <Facts
        items={[
          { field: "size_bytes", label: "Bytes", value: <Count value={record.size_bytes} /> },
          { field: "created_at", label: "Published", value: <IsoTime value={record.created_at} /> },
          ...declaredFacts(record),
        ]}
      />
    </Section>
    <Section title="Content" note={<a href={`/${kind}/${hash}`}>The exact bytes</a>}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0}>{indentedJson(content)}</pre>
    </Section>
  </>
);

export const documentPage = page<Data>({
  path: links.document(":kind", ":hash"),
  title: ({ title, hash }) => `${title} ${shortHex(hash)}`,
  async load(api, { kind: name = "", hash: sent = "" }) {
    const known = documentKinds.find(({ kind }) => kind === name);
    if (!known) throw new Redirect(links.find(sent));
    const { kind, title } = known;
    const hash = sent.toLowerCase();
    const [record, text] = await Promise.all([known.read(api, hash), known.readText(api, hash)]);
    return { kind, title, hash, text, record };
  },
  View: DocumentView,
  keepsLongTexts: true,
});
