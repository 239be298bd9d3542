import type { Preflight } from "../../client/src/api";
import { ActOnPreflight } from "../acting/on-preflight";
import { Heading, Section, Table } from "../components/blocks";
import { PreflightText, Reasons } from "../components/policy-fix";
import { Amount, Token } from "../components/tokens";
import { Block, None, Status } from "../components/values";
import { links, operationLink } from "../links";
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
    <input name={name} defaultValue={parameters[name]} autocomplete="off" spellcheck={false} required={required} />
    {hint !== undefined && <span class="hint">{hint}</span>}
  </label>
);

const Form = ({ parameters }: { parameters: Parameters }) => (
  <form class="form wide" action={links.preflight} method="get">
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

const amountOrNoLimit = (value: string | null, token: string) =>
  value === null ? <None>no limit</None> : <Amount value={value} token={token} />;

/** The action. The amount of a call of a token is written with the token, as other amounts are. */
const actionOf = ({ action, target, spend_checks }: Preflight) =>
  spend_checks.some(({ token }) => token === target)
    ? action.replace(/\bamount: (\d+)\) on (0x[0-9a-f]{40})\b/, "amount: $1 of token $2) on $2")
    : action;

const Result = ({ result }: { result: Preflight }) => (
  <div id="result">
    <Section title="Result">
      <p class="verdict">
        <Status value={result.allowed ? "ALLOWED" : "DENIED"} />{" "}
        {result.allowed
          ? "The account's policies allow this now."
          : "It would fail. Below are the reasons, and the transactions that remove them."}
      </p>
      <p>
        <PreflightText text={actionOf(result)} />
        {result.block_number !== null && (
          <span class="note">
            {" "}
            Checked at block <Block value={result.block_number} />.
          </span>
        )}
      </p>
    </Section>
    {result.reasons.length > 0 && (
      <Section title="Reasons" id="reasons" note="The account must send the transactions.">
        <Reasons result={result} />
      </Section>
    )}
    <ActOnPreflight result={result} />
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
  </div>
);

const PreflightView = ({ data: { result, problem }, parameters }: ViewProps<Data>) => (
  <>
    <Heading
      kind="Preflight"
      lead="Checks a transaction or a signed payment against the current policies of an account, without sending it."
      actions={
        <a class="button" href={operationLink("preflight.check")}>
          Use the API
        </a>
      }
    >
      Would this pass?
    </Heading>
    {problem !== null && (
      <p class="warning" role="alert">
        {problem}
      </p>
    )}
    {result && <Result result={result} />}
    <Section title={result ? "Another request" : "Request"}>
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
  subscription: ({ result }) => (result ? { filter: { account: result.account } } : undefined),
  keepsLongTexts: true,
});
