import type { TimeSeries, Token, TokenPrices } from "../../client/src/api";
import { Facts, Heading, Section, Segments, Stats, selectedTab, Technical, Unavailable } from "../components/blocks";
import { Chart } from "../components/chart";
import { Hex } from "../components/hex";
import { type ListPage, RecordTabs, readTab } from "../components/record-tabs";
import { Amount, useAmountText } from "../components/tokens";
import { Count, Dollars, None, Status } from "../components/values";
import { links, withQuery } from "../links";
import { type Parameters, page, type ViewProps } from "../page";
import { ifAvailable, type OnFailure, type Reads } from "../reads";
import { fillsOf, intentsOf, receiptsOf, settlementsOf } from "../record-lists";
import { shortHex } from "../text/format";
import { shortDollars, shortNumber } from "../text/short-number";

type Data = {
  token: string;
  facts: Token;
  /** Null if they could not be read, and for a token that is not listed. */
  prices: TokenPrices["points"] | null;
  fills: TimeSeries | null;
  receipts: TimeSeries | null;
  list: ListPage;
};

const sources: Readonly<Record<Token["source"], string>> = {
  list: "On the token list of this chain, so that its amounts have dollars.",
  contract: "Not on the token list: its contract chose the symbol, and can claim any name. It has no dollars.",
  unknown: "Unknown: there is no contract at the address, or it does not say what token it is.",
  pending: "Its contract was not read yet.",
};

const charts = ["price", "fills", "receipts"] as const;
const chartTitles = { price: "Price", fills: "Filled volume", receipts: "Paid volume" } as const;

const listsOf = (token: string) =>
  [
    fillsOf({ token }),
    receiptsOf({ token }),
    settlementsOf({ token }),
    intentsOf({ input_token: token }, { tab: "sold", title: "Intents to sell it" }),
    intentsOf({ output_token: token }, { tab: "bought", title: "Intents to buy it" }),
  ] as const;

const textOrNone = (text: string | null) => (text === null ? <None /> : <bdi>{text}</bdi>);

/** The days that have a price. Of the others, the chart has no column. */
const pricedDays = (prices: Data["prices"]) =>
  (prices ?? []).flatMap(({ start, price }) => (price === null ? [] : [{ start, value: price }]));

/** A volume in dollars of a listed token, and else in the token. */
const Volume = ({ series, token }: { series: TimeSeries | null; token: string }) => {
  if (series === null) return <None>unknown</None>;
  return series.unit === "usd" ? <Dollars value={series.total} /> : <Amount value={series.total} token={token} />;
};

type SeriesProps = { data: Data; name: (typeof charts)[number] };

function Series({ data: { facts, prices, fills, receipts }, name }: SeriesProps) {
  const amountText = useAmountText(facts.address);
  const series = name === "fills" ? fills : receipts;
  const days = pricedDays(prices);
  if (name === "price" ? days.length === 0 : series === null) return <Unavailable />;
  const isDollars = name === "price" || series?.unit === "usd";
  const dollars = (value: string) => (name === "price" && value === "0" ? "no price" : shortDollars(value));
  const text = isDollars ? dollars : amountText;
  // Half of the largest value may lie between two smallest units.
  const amountTick = (value: string) => shortNumber(amountText(value.split(".")[0] ?? "0").replaceAll(",", ""));
  return (
    <div data-series={name}>
      <Chart
        title={`${chartTitles[name]} by day`}
        points={
          name === "price"
            ? (prices ?? []).map(({ start, price }) => ({ start, value: price ?? "0" }))
            : (series?.points ?? [])
        }
        interval="day"
        text={text}
        tick={isDollars ? shortDollars : amountTick}
        small
      />
    </div>
  );
}

function Numbers({ data }: { data: Data }) {
  const { facts, prices, fills, receipts } = data;
  const latest = pricedDays(prices).at(-1);
  return (
    <Stats
      items={[
        {
          field: "price",
          label: "Price",
          value: latest ? <Dollars value={latest.value} /> : <None>none</None>,
          note: latest ? "For one token, from its feed" : "Only listed tokens with a feed have one",
        },
        {
          field: "fill_volume",
          label: "Filled volume",
          value: <Volume series={fills} token={facts.address} />,
          note: "30 days",
        },
        {
          field: "receipt_volume",
          label: "Paid volume",
          value: <Volume series={receipts} token={facts.address} />,
          note: "30 days",
        },
      ]}
    />
  );
}

/** The selected chart. A token without prices has only volumes. */
function ChartSection({ data, parameters }: { data: Data; parameters: Parameters }) {
  const { facts, prices } = data;
  const names = charts.filter((name) => name !== "price" || pricedDays(prices).length > 0);
  const [first = "fills"] = names;
  const name = selectedTab([first, ...names.slice(1)], parameters.chart);
  return (
    <Section
      title="30 days"
      id="activity"
      note={
        <Segments
          label="Chart"
          segments={names.map((one) => ({
            title: chartTitles[one],
            href: withQuery(links.token(facts.address), {
              chart: one === first ? undefined : one,
              tab: parameters.tab,
            }),
            isCurrent: one === name,
          }))}
        />
      }
    >
      <Series data={data} name={name} />
    </Section>
  );
}

const View = ({ data, parameters }: ViewProps<Data>) => {
  const { facts, list } = data;
  return (
    <>
      <Heading
        kind={
          <>
            Token <Hex value={facts.address} />
          </>
        }
        mark={facts.address}
        lead={
          <>
            {facts.name !== null && (
              <>
                <bdi>{facts.name}</bdi>.{" "}
              </>
            )}
            {sources[facts.source]}
          </>
        }
      >
        {facts.symbol === null ? <Hex value={facts.address} full /> : <bdi>{facts.symbol}</bdi>}{" "}
        <Status value={facts.source === "list" ? "LISTED" : "UNLISTED"} />
      </Heading>
      <Numbers data={data} />
      <ChartSection data={data} parameters={parameters} />
      <RecordTabs
        path={links.token(facts.address)}
        parameters={parameters}
        lists={listsOf(facts.address)}
        page={list}
      />
      <Technical>
        <Facts
          items={[
            { field: "address", label: "Address", value: <Hex value={facts.address} full /> },
            { field: "chain_id", label: "Chain", value: facts.chain_id },
            { field: "symbol", label: "Symbol", value: textOrNone(facts.symbol) },
            { field: "name", label: "Name", value: textOrNone(facts.name) },
            {
              field: "decimals",
              label: "Decimals",
              value: facts.decimals === null ? <None /> : <Count value={facts.decimals} />,
            },
            { field: "source", label: "Source", value: <data value={facts.source}>{sources[facts.source]}</data> },
          ]}
        />
      </Technical>
    </>
  );
};

/** Reads a volume by day. */
const readVolume = (
  api: Reads,
  metric: "fill_volume" | "receipt_volume",
  { address, source }: Token,
  onFailure: OnFailure,
) =>
  ifAvailable(
    api.analytics.timeseries.query({
      metric,
      interval: "day",
      token: address,
      unit: source === "list" ? "usd" : "raw",
    }),
    onFailure,
  );

export const tokenPage = page<Data>({
  path: links.token(":address"),
  title: ({ facts }) => `Token ${facts.symbol ?? shortHex(facts.address)}`,
  description: ({ facts }) => `What is traded and paid in ${facts.name ?? "the token"}, ${facts.address}.`,
  async load(api, parameters, onFailure) {
    const facts = await api.tokens.get.query({ address: parameters.address ?? "" });
    const { address } = facts;
    const [prices, fills, receipts, list] = await Promise.all([
      facts.source === "list" ? ifAvailable(api.tokens.prices.query({ address, interval: "day" }), onFailure) : null,
      readVolume(api, "fill_volume", facts, onFailure),
      readVolume(api, "receipt_volume", facts, onFailure),
      readTab(api, listsOf(address), parameters),
    ]);
    return { token: address, facts, prices: prices?.points ?? null, fills, receipts, list };
  },
  View,
  // The contract may be read, and volumes grow, after the page was loaded.
  subscription: () => ({}),
});
