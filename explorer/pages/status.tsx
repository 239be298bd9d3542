import type { Protocol, Readiness } from "../../client/src/api";
import { Facts, Heading, Section, Stats } from "../components/blocks";
import { Account, Block, Count, None, Status } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { duration } from "../text/relative-time";

type Data = { protocol: Protocol; readiness: Readiness };

const unknown = <None>unknown</None>;

const durationText = (seconds: number) => duration(seconds) ?? `${seconds} s`;

function Build({ progress, eta_seconds }: Readiness) {
  if (progress >= 1) return <>Complete: all of the chain's history is indexed.</>;
  return (
    <>
      {Math.floor(progress * 100)} % of the chain's history is indexed.{" "}
      {eta_seconds === null ? "The time left is unknown." : `About ${durationText(eta_seconds)} left.`} Until then, an
      earlier build answers, if there is one.
    </>
  );
}

const stores = {
  ok: "Accepts documents and payments.",
  "read-only": "Only reads. Writes are answered with 503.",
  full: "Its disk is full. Writes are answered with 503.",
  unavailable: "Does not answer.",
} as const satisfies Record<Readiness["store"], string>;

const View = ({ data: { protocol, readiness } }: ViewProps<Data>) => (
  <>
    <Heading
      kind={<Status value={readiness.ready ? "READY" : "BEHIND"} />}
      lead={
        readiness.ready
          ? "The index matches the chain and has caught up with it."
          : "Answers may be incomplete or older than the chain. The reasons are below."
      }
    >
      {readiness.ready ? "Everything works" : "Not ready"}
    </Heading>
    {readiness.reasons.map((reason) => (
      <p key={reason} class="warning" role="status">
        {reason}
      </p>
    ))}
    <Stats
      items={[
        {
          field: "block_number",
          label: "Newest indexed block",
          value: readiness.block_number === null ? unknown : <Block value={readiness.block_number} />,
        },
        {
          field: "chain_block_number",
          label: "Newest block of the chain",
          value: readiness.chain_block_number === null ? unknown : <Count value={readiness.chain_block_number} />,
        },
        {
          field: "lag_blocks",
          label: "Behind the chain",
          value:
            readiness.lag_blocks === null ? (
              unknown
            ) : (
              <>
                <Count value={readiness.lag_blocks} /> {readiness.lag_blocks === "1" ? "block" : "blocks"}
              </>
            ),
          note: readiness.lag_seconds !== null && durationText(readiness.lag_seconds),
        },
        {
          field: "progress",
          label: "Indexed history",
          value: `${Math.floor(readiness.progress * 100)} %`,
        },
      ]}
    />
    <Section title="Parts">
      <Facts
        items={[
          { field: "build", label: "Index build", value: <Build {...readiness} /> },
          {
            field: "store",
            label: "Store of documents",
            value: (
              <>
                <Status value={readiness.store} /> {stores[readiness.store]}
              </>
            ),
          },
          {
            field: "unpaid_payments",
            label: "Payments lost by reorgs",
            value: readiness.unpaid_payments === null ? unknown : <Count value={readiness.unpaid_payments} />,
          },
        ]}
      />
    </Section>
    <Section title="Contracts" note={`Chain ${protocol.chain_id}`}>
      <Facts
        items={Object.entries(protocol.contracts).map(([name, address]) => ({
          field: name,
          label: name,
          value: <Account value={address} full />,
        }))}
      />
    </Section>
    <p class="note">
      For programs: <a href="/ready">/ready</a>, <a href="/health">/health</a>, <a href="/protocol">/protocol</a>.
    </p>
  </>
);

export const statusPage = page<Data>({
  path: links.status,
  title: ({ readiness }) => (readiness.ready ? "Status: ready" : "Status: not ready"),
  description: ({ readiness }) => readiness.reason ?? "The index matches the chain and has caught up with it.",
  async load({ status }) {
    const [protocol, readiness] = await Promise.all([status.protocol.query(), status.ready.query()]);
    return { protocol, readiness };
  },
  View,
  subscription: () => ({ filter: {} }),
});
