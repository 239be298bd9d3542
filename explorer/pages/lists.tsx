import type { ComponentType } from "preact";
import type { EventFilter, Pagination } from "../../client/src/api";
import { Pages, type Rows, Section } from "../components/blocks";
import { IntentTable } from "../components/intents";
import {
  AttestorTable,
  DisputeTable,
  FacilitatorTable,
  MerchantTable,
  QuoteTable,
  ReceiptTable,
  SchemaTable,
  ServiceTable,
  SettlementTable,
  SolverTable,
} from "../components/tables";
import { links, withQuery } from "../links";
import { type Page, type Parameters, page, type Subscription, type ViewProps } from "../page";
import type { Reads } from "../reads";

const SHOWN = 50;

type ListInput = { limit: number; cursor?: string };

type List<Name extends string, Row> = {
  /** The last part of the path, and the property of the response with the rows. */
  name: Name;
  title: string;
  read: (
    api: Reads,
    input: ListInput,
    parameters: Parameters,
  ) => Promise<{ pagination: Pagination } & { [Property in Name]: readonly Row[] }>;
  Rows: ComponentType<Rows<Row>>;
  /** The values of a filter, by the name of its parameter. */
  filter?: { name: string; values: readonly string[] };
  subscription?: Subscription;
};

type FilterProps = { path: string; parameters: Parameters; name: string; values: readonly string[] };

const Filter = ({ path, parameters, name, values }: FilterProps) => (
  <nav class="pages" aria-label="Filter">
    {[undefined, ...values].map((value) => (
      <a
        key={value ?? "all"}
        href={withQuery(path, { ...parameters, [name]: value, cursor: undefined })}
        aria-current={parameters[name] === value ? "page" : undefined}
      >
        {value ?? "all"}
      </a>
    ))}
  </nav>
);

function listPage<Name extends string, Row>({ name, title, read, Rows, filter, subscription }: List<Name, Row>): Page {
  type Data = { rows: readonly Row[]; pagination: Pagination };
  const path = links.list(name);
  const View = ({ data: { rows, pagination }, parameters }: ViewProps<Data>) => (
    <>
      <h1>{title}</h1>
      {filter && <Filter path={path} parameters={parameters} {...filter} />}
      <Section title={parameters.cursor === undefined ? "First page" : "Next page"}>
        <Rows rows={rows} caption={title} />
        <Pages path={path} parameters={parameters} pagination={pagination} />
      </Section>
    </>
  );
  return page<Data>({
    path,
    title: () => title,
    async load(api, parameters) {
      const { cursor } = parameters;
      const found = await read(api, { limit: SHOWN, ...(cursor !== undefined && { cursor }) }, parameters);
      return { rows: found[name], pagination: found.pagination };
    },
    View,
    ...(subscription && { subscription: () => subscription }),
  });
}

const statuses = ["open", "filled", "cancelled", "expired"] as const;

/** An unknown status is sent as it is, and the API says what is wrong with it. */
const statusIn = ({ status }: Parameters) =>
  status === undefined ? {} : { status: status as (typeof statuses)[number] };

const eventsOf = (contract: NonNullable<EventFilter["contract"]>): Subscription => ({ filter: { contract } });

const commerce = eventsOf("CommerceRegistry");

export const listPages: readonly Page[] = [
  listPage({
    name: "intents",
    title: "Intents",
    read: ({ intents }, input, parameters) => intents.list.query({ ...input, ...statusIn(parameters) }),
    Rows: IntentTable,
    filter: { name: "status", values: statuses },
    subscription: eventsOf("IntentBook"),
  }),
  listPage({
    name: "solvers",
    title: "Solvers",
    read: ({ solvers }, input) => solvers.list.query(input),
    Rows: SolverTable,
    subscription: eventsOf("SolverRegistry"),
  }),
  listPage({
    name: "attestors",
    title: "Attestors",
    read: ({ attestors }, input) => attestors.list.query(input),
    Rows: AttestorTable,
    subscription: eventsOf("AttestorRegistry"),
  }),
  listPage({
    name: "merchants",
    title: "Merchants",
    read: ({ merchants }, input) => merchants.list.query(input),
    Rows: MerchantTable,
    subscription: commerce,
  }),
  listPage({
    name: "services",
    title: "Services",
    read: ({ services }, input) => services.list.query(input),
    Rows: ServiceTable,
    subscription: commerce,
  }),
  listPage({
    name: "facilitators",
    title: "Facilitators",
    read: ({ facilitators }, input) => facilitators.list.query(input),
    Rows: FacilitatorTable,
    subscription: commerce,
  }),
  listPage({
    name: "quotes",
    title: "Quotes",
    read: ({ quotes }, input) => quotes.list.query(input),
    Rows: QuoteTable,
    subscription: commerce,
  }),
  listPage({
    name: "receipts",
    title: "Receipts",
    read: ({ receipts }, input) => receipts.list.query(input),
    Rows: ReceiptTable,
    subscription: commerce,
  }),
  listPage({
    name: "settlements",
    title: "Settlements",
    read: ({ settlements }, input) => settlements.list.query(input),
    Rows: SettlementTable,
    subscription: { filter: { contract: "SettlementAdapter" } },
  }),
  listPage({
    name: "disputes",
    title: "Disputes",
    read: ({ disputes }, input) => disputes.list.query(input),
    Rows: DisputeTable,
    subscription: commerce,
  }),
  listPage({
    name: "schemas",
    title: "Attestation schemas",
    read: ({ schemas }, input) => schemas.list.query(input),
    Rows: SchemaTable,
  }),
];
