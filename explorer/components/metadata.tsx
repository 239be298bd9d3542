import type { ComponentChildren } from "preact";
import type { ResolvedMetadata } from "../../client/src/api";
import { Facts, Heading } from "./blocks";
import { Hex } from "./hex";
import { type RecordKind, recordTitle } from "./record-link";
import { IsoTime, None, Status } from "./values";

/** The input that adds the metadata to a record. */
export const include = "metadata" as const;

/** Metadata without its content, which may be large. The API has it. */
type ShownMetadata = Omit<ResolvedMetadata, "content">;

/** A record with the metadata that its page shows. */
export type Shown<Fields extends { metadata?: ResolvedMetadata }> = Omit<Fields, "metadata"> & {
  metadata: ShownMetadata | null;
};

export function withShownMetadata<Fields extends { metadata?: ResolvedMetadata }>({
  metadata,
  ...record
}: Fields): Shown<Fields> {
  if (!metadata) return { ...record, metadata: null };
  const { content: _, ...shown } = metadata;
  return { ...record, metadata: shown };
}

type Named = { metadata: ShownMetadata | null };

/** The title of a record page: the name if there is one, and the id. */
export const titleOf = (kind: RecordKind, id: string, { metadata }: Named): string =>
  metadata?.name ? `${metadata.name}, ${recordTitle(kind, id)}` : recordTitle(kind, id);

const explanations: Readonly<Record<ResolvedMetadata["state"], string>> = {
  pending: "Not fetched yet.",
  verified: "The profile has the hash on chain.",
  unverified: "The chain has no hash of the profile.",
  mismatch: "The content has another hash than the one on chain, and is not shown.",
  unreachable: "The profile could not be fetched.",
};

/** Tags, or capabilities. */
export const Terms = ({ texts }: { texts: readonly string[] }) =>
  texts.length === 0 ? (
    <None />
  ) : (
    <ul class="terms">
      {texts.map((text) => (
        <li key={text}>
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );

type HeadingProps = Named & {
  kind: RecordKind;
  id: string;
  status: string;
  /** The address that the picture beside the name is generated from. */
  address: string;
  /** The name if the metadata has none. */
  name?: string;
  /** Who is behind it. */
  byline?: ComponentChildren;
};

/** What the owner of a record says about it, and how far it is verified. */
const Claims = ({ metadata: { state, name, description, tags, capabilities } }: { metadata: ShownMetadata }) => (
  <>
    {tags.length + capabilities.length > 0 && <Terms texts={[...new Set([...tags, ...capabilities])]} />}
    <p>
      <Status value={state} /> {explanations[state]}
      {(name ?? description) !== null && " Its owner wrote the name and the description."}
    </p>
  </>
);

/** The heading of a record with metadata: its name, and the kind and id, which no name can imitate. */
export function NamedHeading({ kind, id, status, address, metadata, name, byline }: HeadingProps) {
  const title = recordTitle(kind, id);
  const shown = metadata?.name || name;
  return (
    <>
      <Heading kind={title} mark={address} lead={metadata?.description ? <bdi>{metadata.description}</bdi> : undefined}>
        {shown ? <bdi>{shown}</bdi> : title} <Status value={status} />
      </Heading>
      <div class="claims">
        {byline !== undefined && <p>{byline}</p>}
        {metadata && <Claims metadata={metadata} />}
      </div>
    </>
  );
}

const textOrNone = (text: string | null) => (text === null ? <None /> : <bdi>{text}</bdi>);

type SectionProps = Named & {
  /** The address of the record in the API. */
  api: string;
};

/** What the metadata URI of a record points to. */
export const MetadataFacts = ({ metadata, api }: SectionProps) =>
  metadata && (
    <div id="metadata">
      <h3>Metadata</h3>
      <p class="note">
        Written by the owner. <a href={`${api}?include=metadata`}>The whole content</a>
      </p>
      <Facts
        items={[
          {
            field: "state",
            label: "State",
            value: (
              <>
                <data value={metadata.state}>
                  <Status value={metadata.state} />
                </data>{" "}
                {explanations[metadata.state]} {metadata.reason}
              </>
            ),
          },
          { field: "name", label: "Name", value: textOrNone(metadata.name) },
          { field: "description", label: "Description", value: textOrNone(metadata.description) },
          { field: "tags", label: "Tags", value: <Terms texts={metadata.tags} /> },
          { field: "capabilities", label: "Capabilities", value: <Terms texts={metadata.capabilities} /> },
          {
            field: "content_hash",
            label: "Content hash",
            value: metadata.content_hash === null ? <None /> : <Hex value={metadata.content_hash} full />,
          },
          {
            field: "resolved_at",
            label: "Fetched",
            value: metadata.resolved_at === null ? <None>not yet</None> : <IsoTime value={metadata.resolved_at} />,
          },
        ]}
      />
    </div>
  );
