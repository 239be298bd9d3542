import type { PreparedAction, PreparedTransaction } from "../../client/src/api";
import { Facts, Fold } from "../components/blocks";
import { Hex } from "../components/hex";
import { Reasons } from "../components/policy-fix";
import { Count } from "../components/values";

type Simulation = PreparedAction["simulation"];

/** Whether the simulation says that a transaction would fail. */
export const wouldFail = (simulation: Simulation): boolean => simulation !== null && !simulation.ok;

/** What the simulation says about one transaction. */
function Simulated({ simulation, index }: { simulation: Simulation; index: number }) {
  if (simulation === null) return <p class="warning">It was not simulated, so it may fail.</p>;
  const result = simulation.results[index];
  if (!result) return <p class="warning">This one was not simulated, so it may fail.</p>;
  const { ok, revert, events } = result;
  if (!ok)
    return (
      <p class="notice bad" data-simulation="fails">
        <strong>It would fail.</strong> <bdi>{revert?.reason ?? "The contract gives no reason."}</bdi>{" "}
        {revert?.fix != null && <bdi>{revert.fix}</bdi>}
      </p>
    );
  const described = events?.flatMap(({ description }) => (description === null ? [] : [description])) ?? [];
  return (
    <>
      <p class="notice good" data-simulation="succeeds">
        The simulation at the newest block succeeds.
      </p>
      {described.length > 0 && (
        <ul class="emitted">
          {described.map((description, event) => (
            <li key={event}>
              <bdi>{description}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const Wei = ({ value }: { value: string }) => (
  <>
    <Count value={value} /> wei
  </>
);

type TransactionProps = { transaction: PreparedTransaction; simulation: Simulation; index: number; of: number };

function Transaction({ transaction, simulation, index, of }: TransactionProps) {
  const { to, data, value, chainId, description } = transaction;
  return (
    <div class="prepared" data-transaction={index}>
      <h3>{of === 1 ? "Transaction" : `Transaction ${index + 1} of ${of}`}</h3>
      <Facts
        items={[
          { field: "to", label: "To", value: <Hex value={to} full /> },
          { field: "does", label: "Calls", value: <bdi>{description}</bdi> },
          { field: "value", label: "Value", value: <Wei value={value} /> },
          { field: "chain", label: "Chain", value: <data value={String(chainId)}>{chainId}</data> },
          { field: "data", label: "Calldata", value: <Hex value={data} full /> },
        ]}
      />
      <Simulated simulation={simulation} index={index} />
    </div>
  );
}

/** A prepared action, before anything is signed. Its texts may be hostile: they have been through `shownTexts`. */
export function Answer({ answer }: { answer: PreparedAction }) {
  const { summary, transactions, typed_data, simulation, preflight = [], warnings } = answer;
  const denied = preflight.filter(({ allowed }) => !allowed);
  return (
    <>
      <p class="summary">
        <bdi>{summary}</bdi>
      </p>
      {warnings.map(({ code, message }) => (
        <p key={message} class="warning" data-warning={code}>
          <bdi>{message}</bdi>
        </p>
      ))}
      {denied.map((check) => (
        <Reasons key={check.action} result={check} />
      ))}
      {transactions.map((transaction, index) => (
        <Transaction
          key={index}
          transaction={transaction}
          simulation={simulation}
          index={index}
          of={transactions.length}
        />
      ))}
      {simulation?.note != null && <p class="note">{simulation.note}</p>}
      {typed_data && (
        <Fold title={`Message to sign: ${typed_data.primaryType}`} isOpen>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <pre tabIndex={0}>{JSON.stringify(typed_data, null, 2)}</pre>
        </Fold>
      )}
    </>
  );
}
