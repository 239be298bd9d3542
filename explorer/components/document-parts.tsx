import { groupDigits } from "../../common/format";
import type { DocumentContent, Item, Offer, OtherField, Price } from "../document-content";
import { safeUrl } from "../text/format";
import { type Column, Empty, Facts, Section, Table } from "./blocks";
import { Hex } from "./hex";
import { RecordLink } from "./record-link";
import { Amount } from "./tokens";
import { Account, None, Time, Uri } from "./values";

/** A price as the document has it. The amount of a token is in its smallest unit. */
export const PriceText = ({ price: { amount, currency, token } }: { price: Price }) => {
  if (token !== null) return <Amount value={amount} token={token} />;
  const [whole = "", fraction] = amount.split(".");
  return (
    <span class="amount">
      <data value={amount}>
        {groupDigits(whole)}
        {fraction !== undefined && `.${fraction}`}
      </data>
      {currency !== null && (
        <>
          {" "}
          <span class="unit">
            <bdi>{currency}</bdi>
          </span>
        </>
      )}
    </span>
  );
};

const textOrNone = (text: string | null) => (text === null ? <None /> : <bdi>{text}</bdi>);

type ServiceIds = Readonly<Record<string, string>>;

/** The columns of a price list. Those that no item has are left out. */
function columnsOf(items: readonly Item[], services: ServiceIds): Column<Item>[] {
  const has = (field: keyof Item) => items.some((item) => item[field] !== null);
  return [
    {
      label: "Name",
      cell: ({ id, name }) => {
        const service = id !== null && Object.hasOwn(services, id) ? services[id] : undefined;
        return service === undefined ? (
          textOrNone(name ?? id)
        ) : (
          <RecordLink kind="service" id={service} name={name ?? id} />
        );
      },
    },
    ...(has("description") ? [{ label: "Description", cell: ({ description }: Item) => textOrNone(description) }] : []),
    ...(has("quantity")
      ? [{ label: "Quantity", isNumber: true, cell: ({ quantity }: Item) => textOrNone(quantity) }]
      : []),
    ...(has("unit") ? [{ label: "Unit", cell: ({ unit }: Item) => textOrNone(unit) }] : []),
    {
      label: "Price",
      isNumber: true,
      cell: ({ price }) => (price === null ? <None>not stated</None> : <PriceText price={price} />),
    },
  ];
}

type PriceListProps = {
  title: string;
  content: Pick<DocumentContent, "items" | "hiddenItems">;
  /** The ids on chain of the services that the items are, by the merchant's ids. */
  services: ServiceIds;
};

/** The items of a catalog or an offer. */
export const PriceList = ({ title, content: { items, hiddenItems }, services }: PriceListProps) => (
  <Section
    title={title}
    id="items"
    note={hiddenItems > 0 ? `The first ${items.length} of ${items.length + hiddenItems}` : undefined}
  >
    <Table
      caption={title}
      rows={items}
      rowKey={(item) => item.id ?? String(items.indexOf(item))}
      empty={<Empty title="No items" />}
      columns={columnsOf(items, services)}
    />
  </Section>
);

/** The terms of an offer. */
export const OfferSection = ({ offer }: { offer: Offer }) => (
  <Section title="Offer" id="offer">
    <Facts
      items={[
        {
          field: "offer.price",
          label: "Total",
          value: offer.price === null ? <None>not stated</None> : <PriceText price={offer.price} />,
        },
        ...(offer.merchant_id === null
          ? []
          : [
              {
                field: "offer.merchant",
                label: "Merchant",
                value: <RecordLink kind="merchant" id={offer.merchant_id} />,
              },
            ]),
        ...(offer.service_numeric_id === null
          ? []
          : [
              {
                field: "offer.service",
                label: "Service",
                value: <RecordLink kind="service" id={offer.service_numeric_id} />,
              },
            ]),
        ...(offer.agent === null
          ? []
          : [{ field: "offer.agent", label: "For", value: <Account value={offer.agent} /> }]),
        ...(offer.payment_rail === null
          ? []
          : [{ field: "offer.payment_rail", label: "Payment rail", value: <bdi>{offer.payment_rail}</bdi> }]),
        {
          field: "offer.expires_at",
          label: "Expires",
          value:
            offer.expires_at === null ? <None>not stated</None> : <Time seconds={offer.expires_at} isDeadline full />,
        },
      ]}
    />
  </Section>
);

/** A text of a stranger, with a link if it is an address of the web or of the chain. */
function StrangerText({ value }: { value: string }) {
  if (/^0x[0-9a-f]{40}$/.test(value)) return <Account value={value} />;
  if (/^0x[0-9a-f]{64}$/i.test(value)) return <Hex value={value} />;
  return safeUrl(value) === undefined ? <bdi>{value}</bdi> : <Uri value={value} />;
}

const labelOf = (name: string) => {
  const words = name.replaceAll("_", " ").replaceAll(".", ", ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

/** The fields that have no place of their own. */
export const OtherFields = ({ others }: { others: readonly OtherField[] }) =>
  others.length === 0 ? null : (
    <Section title="Contents" id="contents">
      <Facts
        items={others.map(({ name, value }) => ({
          field: `content.${name}`,
          label: labelOf(name),
          value: <StrangerText value={value} />,
        }))}
      />
    </Section>
  );
