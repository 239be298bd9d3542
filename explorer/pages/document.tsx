import { useEffect, useState } from "preact/hooks";
import { Facts, Heading, Section } from "../components/blocks";
import { Hex } from "../components/hex";
import { RecordLink } from "../components/record-link";
import { Account, Count, FoundHash, IsoTime, None, Status } from "../components/values";
import { type DocumentRecord, documentKinds } from "../documents";
import { links } from "../links";
import { page, Redirect, type ViewProps } from "../page";
import { shortHex } from "../text/format";

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

/** Indented if it is JSON. The bytes themselves are at the API's address. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const textOrNone = (value: string | null | undefined) => (value == null ? <None /> : <code class="text">{value}</code>);

const DocumentView = ({ data: { kind, title, hash, text, record }, live }: ViewProps<Data>) => (
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
          {
            field: "merchant_id",
            label: "Merchant",
            value: record.merchant_id === null ? <None /> : <RecordLink kind="merchant" id={record.merchant_id} />,
          },
          { field: "service_id", label: "Service", value: textOrNone(record.service_id) },
          { field: "service_numeric_id", label: "Service id", value: textOrNone(record.service_numeric_id) },
          { field: "request_id", label: "Request id", value: textOrNone(record.request_id) },
          {
            field: "request_hash",
            label: "Request",
            value: record.request_hash == null ? <None /> : <FoundHash value={record.request_hash} full />,
          },
          {
            field: "agent",
            label: "Agent",
            value: record.agent == null ? <None /> : <Account value={record.agent} full />,
          },
        ]}
      />
    </Section>
    <Section title="Content" note={<a href={`/${kind}/${hash}`}>The exact bytes</a>}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0}>{readable(text)}</pre>
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
