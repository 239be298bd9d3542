import type { ReputationRecord, Score, Trust } from "../../client/src/api";
import { links } from "../links";
import { percentOfBasisPoints } from "../text/short-number";
import { Fold, Section, Stats, Table, Unavailable } from "./blocks";
import { Count, Status, Time } from "./values";

/** Worst first. */
const levels = ["avoid", "review", "info"] as const;

const marks = { avoid: "✕", review: "!", info: "✓" } as const;

/** What a level means, for screen readers. */
const meanings = { avoid: "Serious", review: "To review", info: "Fine" } as const;

function summary({ verdict, reasons }: Trust): string {
  const open = reasons.filter(({ level }) => level !== "info").length;
  const checks = `Checks to look at: ${open} of ${reasons.length}.`;
  switch (verdict) {
    case "proceed":
      return `All ${reasons.length} checks are fine.`;
    case "review":
      return `Look closer before you pay or hire. ${checks}`;
    case "avoid":
      return `Do not pay or hire without good reason. ${checks}`;
  }
}

/** The list that a check counts. Without a filter, the evidence is the record of the page. */
const Evidence = ({ path, code }: { path: string; code: string }) =>
  path.includes("?") ? (
    <>
      {" "}
      <a class="note" href={links.listOfApi(path)}>
        Evidence<span class="visually-hidden"> of the check {code}</span>
      </a>
    </>
  ) : null;

/** The verdict about a participant, with the outcome of each check. */
export const TrustSection = ({ trust }: { trust: Trust | null }) => (
  <Section title="Trust" id="trust" note={trust && <Status value={trust.verdict} />}>
    {trust === null ? (
      <Unavailable />
    ) : (
      <>
        <p>{summary(trust)}</p>
        <ul class="checks">
          {levels.flatMap((level) =>
            trust.reasons
              .filter((reason) => reason.level === level)
              .map(({ code, message, evidence }) => (
                <li key={code} class={level} data-check={code}>
                  <span class="check" aria-hidden="true">
                    {marks[level]}
                  </span>
                  <span>
                    <span class="visually-hidden">{meanings[level]}: </span>
                    <bdi>{message}</bdi>
                    <Evidence path={evidence} code={code} />
                  </span>
                </li>
              )),
          )}
        </ul>
      </>
    )}
  </Section>
);

type ScoreInput = Score["inputs"][number];

const days = (value: number) => `${value} ${value === 1 ? "day" : "days"} since the registration`;

/** What an input of the score counts, with its value. */
const inputText: Readonly<Record<ScoreInput["name"], (value: number) => string>> = {
  credit: (value) => `Credit of ${value} from payments`,
  age_days: days,
  attestors: (value) => `${value} ${value === 1 ? "attestor" : "attestors"} of the address`,
  lost_disputes_per_mille: (value) =>
    value === 0 ? "No lost disputes" : `${percentOfBasisPoints(String(value * 10))} lost in disputes`,
};

const signed = (points: number) => (points < 0 ? `−${-points}` : points > 0 ? `+${points}` : "0");

/** How the score follows from the record. */
export const ScoreSection = ({ score, record }: { score: Score; record: ReputationRecord }) => (
  <Section title="Score" id="score" note={`${score.value} of 100 points`}>
    <Table
      caption="The points of the score"
      empty="No points."
      rows={score.inputs}
      rowKey={({ name }) => name}
      columns={[
        { label: "For", cell: ({ name, value }) => <data value={String(value)}>{inputText[name](value)}</data> },
        { label: "Points", isNumber: true, cell: ({ points }) => <data value={String(points)}>{signed(points)}</data> },
        {
          label: "At most",
          isNumber: true,
          cell: ({ weight, half }) => (
            <data value={String(weight)} title={`A value of ${half} gives half of them`}>
              {signed(weight)}
            </data>
          ),
        },
      ]}
    />
    <Fold title="How the points are computed">
      <p>
        Each of the <Count value={record.receipts.value} /> payments in listed tokens gives credit: 10 if a settlement
        on chain proves it, 6 if a neutral facilitator recorded it, 1 if a party only claims it, and at most 30 for one
        counterparty and token. Lost disputes count by their share: a credit of 10 stands for one payment without.
      </p>
      <p>
        <code>{score.formula}</code>
      </p>
    </Fold>
  </Section>
);

/** The numbers behind a verdict, of records without a score. */
export const TrustStats = ({ facts }: Pick<Trust, "facts">) => (
  <div id="facts">
    <Stats
      items={[
        { field: "payments", label: "Payments", value: <Count value={facts.payments} />, note: "In listed tokens" },
        {
          field: "counterparties",
          label: "Counterparties",
          value: <Count value={facts.counterparties} />,
          note: "Distinct, by token",
        },
        {
          field: "credit",
          label: "Credit",
          value: <Count value={facts.credit} />,
          note: "From proven payments",
        },
        ...(facts.open_disputes === null
          ? []
          : [
              {
                field: "open_disputes",
                label: "Open disputes",
                value: <Count value={facts.open_disputes} />,
                note: facts.lost_disputes !== null && (
                  <>
                    <Count value={facts.lost_disputes} /> lost
                  </>
                ),
              },
            ]),
        {
          field: "registered_at",
          label: "Registered",
          value: <Time seconds={facts.registered_at} />,
          note: (
            <>
              <Count value={facts.attestors} /> attestors of its address
            </>
          ),
        },
      ]}
    />
  </div>
);
