import type { ReputationRecord, Score } from "../../client/src/api";
import { Stats } from "./blocks";
import { Count, Dollars } from "./values";

type Props = {
  score: Score;
  record: ReputationRecord;
  /** What its counterparties are, such as "Merchants". */
  counterparties: string;
  /** What its disputes are. */
  disputes: string;
  /** What its receipts are. */
  payments: string;
};

/** The numbers that a buyer or a seller is judged by. */
export const ReputationStats = ({ score, record, counterparties, disputes, payments }: Props) => (
  <div id="reputation">
    <Stats
      items={[
        {
          field: "score",
          label: "Score",
          value: (
            <>
              <data value={String(score.value)}>{score.value}</data> <span class="of">of 100</span>
            </>
          ),
          note: <a href="#score">How it is computed</a>,
        },
        {
          field: "volume_usd",
          label: "Payments in dollars",
          value: <Dollars value={record.volume_usd.value} />,
          note: "All time, in listed tokens",
        },
        {
          field: "receipts",
          label: payments,
          value: <Count value={record.receipts.value} />,
          note: "Not counting those to itself",
        },
        {
          field: "counterparties",
          label: counterparties,
          value: <Count value={record.counterparties.value} />,
          note: "Distinct, by token",
        },
        {
          field: "disputes",
          label: disputes,
          value: <Count value={record.disputes.value} />,
          note: (
            <>
              <Count value={record.open_disputes.value} /> open, <Count value={record.lost_disputes.value} /> lost
            </>
          ),
        },
      ]}
    />
  </div>
);
