import type { ComponentChildren } from "preact";
import { Answer } from "../acting/answer";
import { Act } from "../components/act";
import { Bars } from "../components/bars";
import {
  Empty,
  Facts,
  Fold,
  Heading,
  Section,
  Segments,
  Stats,
  Table,
  Tabs,
  Tiles,
  Unavailable,
} from "../components/blocks";
import { Chart, Sparkline } from "../components/chart";
import { Donut } from "../components/donut";
import { EventLog } from "../components/event-log";
import { ActiveFilters, FilterForm } from "../components/filters";
import { Pager } from "../components/pager";
import { NamesContext, RecordLink } from "../components/record-link";
import { Timeline } from "../components/timeline";
import { Amount, Token, TokensContext } from "../components/tokens";
import {
  Account,
  Count,
  Dollars,
  FoundHash,
  None,
  Percent,
  Status,
  Time,
  Transaction,
  Uri,
} from "../components/values";
import { links } from "../links";
import { type Parameters, page, type ViewProps } from "../page";
import { NATIVE_COIN } from "../tokens";
import {
  account,
  amounts,
  charts,
  eventsOf,
  hash,
  MAX,
  named,
  namesOf,
  notices,
  offersOf,
  preparedOf,
  query,
  states,
  type Texts,
  texts,
  times,
  tokensOf,
  UNKNOWN_TOKEN,
} from "./kit-content";

const path = links.list("_kit");

const Chips = ({ shown }: { shown: Texts }) => {
  const parameters: Parameters = { owner: account("1"), state: shown.markup, kind: shown.word, merchant: MAX };
  const props = { path, query, parameters };
  return (
    <Section title="Chip, filter and tab" id="chips">
      <p>
        {states.map((state) => (
          <span key={state}>
            <Status value={state} />{" "}
          </span>
        ))}
      </p>
      <Tabs path={path} parameters={{}} label="Tabs" tabs={states.map((name) => ({ name, title: `Tab of ${name}` }))} />
      <div class="controls">
        <Segments
          label="Variants"
          segments={states.map((title) => ({ title, href: path, isCurrent: title === "OPEN" }))}
        />
      </div>
      <div class="toolbar">
        <FilterForm {...props} isOpen />
      </div>
      <ActiveFilters {...props} />
      <Pager
        path={path}
        parameters={{ cursor: "a", trail: "b.c" }}
        pagination={{ count: 25, limit: 25, total: Number.MAX_SAFE_INTEGER, next_cursor: "d", offset: 50 }}
      />
    </Section>
  );
};

/** A fact for each value. */
const facts = (label: string, values: readonly string[], shown: (value: string) => ComponentChildren) =>
  values.map((value, index) => ({ field: `${label} ${index}`, label, value: shown(value) }));

const Values = ({ shown }: { shown: Texts }) => {
  const parties = [...named(shown).map(([address]) => address), account("d"), NATIVE_COIN];
  const tokens = [...tokensOf(shown).map(({ address }) => address), UNKNOWN_TOKEN, NATIVE_COIN];
  return (
    <Section title="Address, record, amount and time" id="values" note={shown.sentence}>
      <Facts
        items={[
          ...facts("Account", parties, (value) => <Account value={value} full />),
          ...facts("Hash", [hash, NATIVE_COIN], (value) => <FoundHash value={value} full />),
          ...facts("Transaction", [hash], (value) => <Transaction value={value} />),
          ...facts("Record", ["1", "2", MAX], (id) => <RecordLink kind="merchant" id={id} />),
          ...facts("Token", tokens, (value) => <Token value={value} full />),
          ...facts("Amount", tokens, (token) => <Amount value={MAX} token={token} usd={MAX} full />),
          ...facts("Time", times, (seconds) => <Time seconds={seconds} full />),
          ...facts("Text", Object.values(shown), (text) => <bdi>{text}</bdi>),
          ...facts("URI", [shown.uri, shown.markup, shown.empty], (uri) => <Uri value={uri} />),
          ...facts(shown.nameWithoutSpaces, [MAX], (value) => <Percent basisPoints={value} />),
        ]}
      />
    </Section>
  );
};

const Tables = ({ shown }: { shown: Texts }) => {
  const names = named(shown);
  const rows = amounts.map((amount, index) => ({ amount, index, party: names[index]?.[0] ?? hash }));
  const tokens = tokensOf(shown);
  return (
    <>
      <Section title={shown.nameWithoutSpaces} id="table" note={shown.word}>
        <Table
          caption="Rows with hostile content"
          empty=""
          rows={rows}
          rowKey={({ amount }) => amount}
          columns={[
            { label: "Record", cell: ({ index }) => <RecordLink kind="merchant" id={String(index + 1)} /> },
            { label: "State", cell: ({ index }) => <Status value={states[index] ?? ""} /> },
            { label: "Account", cell: ({ party }) => <Account value={party} /> },
            {
              label: "Amount",
              isNumber: true,
              cell: ({ amount, index }) => (
                <Amount value={amount} token={tokens[index]?.address ?? UNKNOWN_TOKEN} usd={amount} />
              ),
            },
            { label: "Count", isNumber: true, cell: ({ amount }) => <Count value={amount} /> },
            { label: "Text", cell: ({ index }) => <bdi>{Object.values(shown)[index]}</bdi> },
            { label: "Time", cell: ({ index }) => <Time seconds={times[index] ?? "0"} /> },
          ]}
        />
      </Section>
      <Section title="Empty states" id="empty" note={<None />}>
        <Table caption="No rows" rows={[]} rowKey={() => ""} columns={[]} empty="No rows" />
        <Empty title={shown.nameWithoutSpaces}>{shown.sentence}</Empty>
        <Bars bars={[]} empty="No bars" />
        <Donut title="No slices" slices={[]} />
        <Unavailable />
      </Section>
    </>
  );
};

const Charts = ({ shown }: { shown: Texts }) => (
  <Section title="Chart" id="charts">
    {charts.map(([title, values]) => (
      <Chart
        key={title}
        title={title}
        interval="day"
        text={(value) => value}
        points={values.map((value, index) => ({ start: String(1_700_000_000 + index * 86_400), value }))}
        small
      />
    ))}
    <Bars
      empty=""
      bars={named(shown).map(([address], index) => ({
        key: address,
        label: <Account value={address} bare />,
        value: amounts[index] ?? "0",
        shown: <Amount value={amounts[index] ?? "0"} token={UNKNOWN_TOKEN} usd={MAX} />,
      }))}
    />
    <Donut
      title="Shares"
      slices={Array.from({ length: 12 }, (_, index) => ({
        label: index === 0 ? shown.word : `${shown.nameWithoutSpaces} ${index}`,
        value: index === 0 ? Number(MAX) : index,
        shown: index === 0 ? MAX : String(index),
      }))}
    />
  </Section>
);

type FrameProps = { shown: Texts; children: ComponentChildren };

const Frame = ({ shown, children }: FrameProps) => (
  <TokensContext.Provider value={new Map(tokensOf(shown).map((token) => [String(token.address), token]))}>
    <NamesContext.Provider value={namesOf(shown)}>{children}</NamesContext.Provider>
  </TokensContext.Provider>
);

const View = ({ data: shown }: ViewProps<Texts>) => (
  <Frame shown={shown}>
    <Heading
      kind="Components with hostile content"
      mark={shown.word}
      lead={<bdi>{shown.sentence}</bdi>}
      actions={
        <a class="button" href={links.overview}>
          Overview
        </a>
      }
    >
      <bdi>{shown.nameWithoutSpaces}</bdi> <Status value="UNVERIFIED" /> <span class="total">{MAX}</span>
    </Heading>
    {notices.map((name) => (
      <p key={name} class={name}>
        {shown.markup} {shown.word}
      </p>
    ))}
    <Stats
      items={facts(shown.name, amounts, (value) => <Dollars value={value} />).map((stat) => ({
        ...stat,
        note: `${MAX} before`,
        chart: <Sparkline values={amounts} />,
      }))}
    />
    <Section title="Numbers at a glance" id="tiles">
      <Tiles items={facts("Count", amounts, (value) => <Count value={value} />)} />
    </Section>
    <Chips shown={shown} />
    <Values shown={shown} />
    <Tables shown={shown} />
    <Charts shown={shown} />
    <Timeline
      steps={Object.values(shown).map((text, index) => ({
        name: `${index + 1} ${text.slice(0, 80)}`,
        isReached: index < 4,
        details: <Amount value={MAX} token={UNKNOWN_TOKEN} usd={MAX} />,
      }))}
    />
    <Act offers={offersOf(shown)} />
    <Section title="Prepared action" id="prepared">
      <div class="answer">
        <Answer answer={preparedOf(shown)} />
      </div>
    </Section>
    <EventLog title="Events" live={{ events: eventsOf(shown), isInteractive: false }} />
    <EventLog title="No events" live={{ events: [], isInteractive: false }} />
    <Fold title={shown.name}>{shown.word}</Fold>
  </Frame>
);

/** All components with hostile content, to look at and for the tests of the layout. */
export const kitPage = page({
  path,
  title: () => "Components",
  load: () => Promise.resolve(texts),
  View,
});
