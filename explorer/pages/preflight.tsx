import type { PolicyUpdate, Preflight } from "../../client/src/api";
import { Section, Table } from "../components/blocks";
import { Hex } from "../components/hex";
import { Amount, Token } from "../components/tokens";
import { None, Status } from "../components/values";
import { links } from "../links";
import { type Parameters, page, type ViewProps } from "../page";

type Data = {
  /** Null before the form was sent. */
  result: Preflight | null;
  /** What is wrong with the input; null if nothing is. */
  problem: string | null;
};

const paymentFields = [
  { name: "merchant", label: "Merchant", hint: "An address." },
  { name: "token", label: "Token", hint: "An address. Zero for the native coin." },
  { name: "facilitator", label: "Facilitator", hint: "An address. Zero for none." },
  { name: "amount", label: "Amount", hint: "In the token's smallest unit." },
] as const;

const transactionFields = [
  { name: "target", label: "Target", hint: "The address that is called." },
  { name: "value", label: "Value in wei", hint: "Empty for 0." },
  { name: "data", label: "Calldata", hint: "Hex. Empty for a plain transfer." },
] as const;

/** Parameters that were filled in. */
const filled = (parameters: Parameters, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (parameters[name]?.trim() ? [[name, parameters[name].trim()]] : [])));

/** The input of the check. Fields that are missing or wrong are left for the API to name. */
function inputOf(parameters: Parameters) {
  const payment = filled(
    parameters,
    paymentFields.map(({ name }) => name),
  );
  return {
    account: parameters.account?.trim() ?? "",
    ...filled(
      parameters,
      transactionFields.map(({ name }) => name),
    ),
    ...(Object.keys(payment).length > 0 && {
      payment: { merchant: "", token: "", facilitator: "", amount: "", ...payment },
    }),
  };
}

type FieldProps = { name: string; label: string; hint?: string; parameters: Parameters; required?: boolean };

const Field = ({ name, label, hint, parameters, required }: FieldProps) => (
  <label>
    {label}
    <input name={name} value={parameters[name]} autocomplete="off" spellcheck={false} required={required} />
    {hint !== undefined && <span class="hint">{hint}</span>}
  </label>
);

const Form = ({ parameters }: { parameters: Parameters }) => (
  <form class="form" action={links.preflight} method="get">
    <Field name="account" label="Account" hint="The account whose policies apply." parameters={parameters} required />
    <fieldset>
      <legend>Transaction</legend>
      {transactionFields.map((field) => (
        <Field key={field.name} {...field} parameters={parameters} />
      ))}
    </fieldset>
    <fieldset>
      <legend>Signed payment</legend>
      {paymentFields.map((field) => (
        <Field key={field.name} {...field} parameters={parameters} />
      ))}
    </fieldset>
    <div>
      <button type="submit" class="primary">
        Would this pass?
      </button>
    </div>
  </form>
);

const suggestion = ({ suggested_value: value }: PolicyUpdate) =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

const amountOrNoLimit = (value: string | null, token: string) =>
  value === null ? <None>no limit</None> : <Amount value={value} token={token} />;

const Result = ({ result }: { result: Preflight }) => (
  <div id="result">
    <Section title="Result">
      <p>
        <Status value={result.allowed ? "ALLOWED" : "DENIED"} />{" "}
        {result.allowed ? "The account's policies allow this now." : "The contract would revert."}
      </p>
      <p>{result.action}</p>
      {result.reasons.length > 0 && (
        <ul class="sentences">
          {result.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </Section>
    {result.spend_checks.length > 0 && (
      <Section title="Spending">
        <Table
          caption="Checks against daily limits"
          empty=""
          rows={result.spend_checks}
          rowKey={({ token, attempted }) => `${token} ${attempted}`}
          columns={[
            { label: "Token", cell: ({ token }) => <Token value={token} /> },
            { label: "State", cell: ({ allowed }) => <Status value={allowed ? "ALLOWED" : "DENIED"} /> },
            {
              label: "Amount",
              isNumber: true,
              cell: ({ attempted, token }) => <Amount value={attempted} token={token} />,
            },
            {
              label: "Limit per day",
              isNumber: true,
              cell: ({ max_per_day, token }) => amountOrNoLimit(max_per_day, token),
            },
            {
              label: "Spent today",
              isNumber: true,
              cell: ({ spent_today, token }) => <Amount value={spent_today} token={token} />,
            },
            {
              label: "Remaining",
              isNumber: true,
              cell: ({ remaining, token }) => amountOrNoLimit(remaining, token),
            },
          ]}
        />
      </Section>
    )}
    {result.required_policy_updates.length > 0 && (
      <Section title="Calls that make it pass" note="The account must send them.">
        <Table
          caption="Policy updates that make it pass"
          empty=""
          rows={result.required_policy_updates}
          rowKey={({ call }) => call.data}
          columns={[
            { label: "Policy", cell: ({ policy_type }) => <code>{policy_type}</code> },
            { label: "New value", cell: (update) => <code class="text">{suggestion(update)}</code> },
            { label: "To", cell: ({ call }) => <Hex value={call.to} /> },
            { label: "Calldata", cell: ({ call }) => <Hex value={call.data} /> },
          ]}
        />
      </Section>
    )}
  </div>
);

const PreflightView = ({ data: { result, problem }, parameters }: ViewProps<Data>) => (
  <>
    <h1>Would this pass?</h1>
    <p>Checks a transaction or a signed payment against the current policies of an account, without sending it.</p>
    {problem !== null && (
      <p class="warning" role="alert">
        {problem}
      </p>
    )}
    {result && <Result result={result} />}
    <Section title="Request">
      <Form parameters={parameters} />
    </Section>
  </>
);

export const preflightPage = page<Data>({
  path: links.preflight,
  title: () => "Preflight",
  async load({ preflight }, parameters) {
    const isSent = [...transactionFields, ...paymentFields].some(({ name }) => parameters[name] !== undefined);
    if (!isSent) return { result: null, problem: null };
    try {
      return { result: await preflight.check.query(inputOf(parameters)), problem: null };
    } catch (error) {
      if (error instanceof Error && (error as { status?: unknown }).status === 400)
        return { result: null, problem: error.message };
      throw error;
    }
  },
  View: PreflightView,
  keepsLongTexts: true,
});
