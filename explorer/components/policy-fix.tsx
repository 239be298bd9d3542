import { type ComponentChildren, Fragment } from "preact";
import type { PolicyUpdate, Preflight } from "../../client/src/api";
import { NATIVE_COIN } from "../tokens";
import { Facts } from "./blocks";
import { CopyButton } from "./copy-button";
import { Hex } from "./hex";
import { Limit, NO_ACCOUNT } from "./policies";
import { Sentence } from "./sentence";
import { Amount, Token } from "./tokens";
import { Account } from "./values";

type PolicyType = PolicyUpdate["policy_type"];

const TOKEN = "the native coin|token 0x[0-9a-f]{40}";

/** Amounts in wei, amounts with a token, tokens, and other numbers. Digits in addresses are none. */
const PARTS = new RegExp(`\\b(\\d+) wei\\b|\\b(\\d+) of (${TOKEN})\\b|\\b(${TOKEN})\\b|\\b(\\d+)\\b`, "g");

/** The token in a text of the API. */
const tokenIn = (text: string): string | undefined =>
  new RegExp(TOKEN)
    .exec(text)?.[0]
    .replace(/^token |^the native coin$/, (word) => (word === "token " ? "" : NATIVE_COIN));

type TextProps = {
  text: string;
  /** The token of numbers that have none beside them. Without it they are no amounts. */
  token?: string | undefined;
};

/** A sentence of the preflight, with its amounts in whole tokens, and names as links. */
export function PreflightText({ text, token }: TextProps) {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: part, 1: wei, 2: amount, 3: of = "", 4: name, 5: number, index } of text.matchAll(PARTS)) {
    if (number !== undefined && token === undefined) continue;
    parts.push(<Sentence text={text.slice(end, index)} />);
    end = index + part.length;
    if (name !== undefined) parts.push(<Token value={tokenIn(name) ?? NATIVE_COIN} />);
    else if (wei !== undefined) parts.push(<Amount value={wei} token={NATIVE_COIN} />);
    else parts.push(<Amount value={amount ?? number ?? "0"} token={tokenIn(of) ?? token} />);
  }
  parts.push(<Sentence text={text.slice(end)} />);
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>{part}</Fragment>
      ))}
    </>
  );
}

/** How a policy works, for those who don't know its contract. */
const explanations: Readonly<Record<PolicyType, string>> = {
  ACCOUNT_FROZEN: "A frozen account does nothing. The account itself or its guardian can unfreeze it.",
  TARGET_ALLOWLIST: "An account calls only addresses on its allowlist, which is empty at first.",
  FUNCTION_ALLOWLIST: "While its function allowlist is on, an account calls only the functions that are on it.",
  FUNCTION_ALLOWLIST_MODE: "While its function allowlist is on, an account calls only the functions that are on it.",
  SPEND_LIMIT: "A spend limit counts what the account sends and approves of a token within 24 hours.",
  PAYMENT_POLICY: "A signed payment needs a policy for exactly this merchant, token and facilitator.",
  GUARDIAN: "A guardian can freeze and unfreeze the account.",
};

/** What the account may do after an update. */
function NewPolicy({ update }: { update: PolicyUpdate }) {
  const { policy_type, target, selector, token = NATIVE_COIN, merchant, facilitator, suggested_value } = update;
  if (typeof suggested_value === "object" && merchant !== undefined)
    return (
      <>
        Allow payments to <Account value={merchant} bare />:{" "}
        <Limit value={suggested_value.max_per_payment} token={token} per="payment" /> and{" "}
        <Limit value={suggested_value.max_per_day} token={token} per="day" />
        {facilitator !== undefined && facilitator !== NO_ACCOUNT && (
          <>
            {" "}
            through <Account value={facilitator} bare />
          </>
        )}
        .
      </>
    );
  if (typeof suggested_value === "string")
    return (
      <>
        Allow spending <Limit value={suggested_value} token={token} per="day" />.
      </>
    );
  if (selector !== undefined && target !== undefined)
    return (
      <>
        Allow calls of the function <code>{selector}</code> of <Account value={target} bare />.
      </>
    );
  if (target !== undefined)
    return (
      <>
        Allow calls of <Account value={target} bare />.
      </>
    );
  return <>{policy_type === "ACCOUNT_FROZEN" ? "Unfreeze the account." : `Change ${policy_type}.`}</>;
}

const castLine = ({ to, data }: PolicyUpdate["call"], account: string) =>
  `cast send ${to} ${data} --from ${account} --rpc-url $RPC_URL`;

/** The transaction of an update, to copy. */
function Fix({ update, account }: { update: PolicyUpdate; account: string }) {
  const line = castLine(update.call, account);
  return (
    <div class="fix" data-fix={update.call.data}>
      <p>
        <strong>Fix</strong> <NewPolicy update={update} />
      </p>
      <Facts
        items={[
          { field: `to ${update.call.data}`, label: "To", value: <Hex value={update.call.to} /> },
          { field: `data ${update.call.data}`, label: "Calldata", value: <Hex value={update.call.data} /> },
        ]}
      />
      <div class="command">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
        <pre tabIndex={0}>{line}</pre>
        <CopyButton text={line} />
      </div>
    </div>
  );
}

/** Why an account's policies deny a request, each with the transaction that changes the policy. */
export function Reasons({ result }: { result: Preflight }) {
  const { reasons, reason_policies, required_policy_updates, account } = result;
  return (
    <ol class="sentences reasons">
      {reason_policies.map(({ policy_type, token, update }, index) => {
        const reason = reasons[index] ?? "";
        const fix = update === null ? undefined : required_policy_updates[update];
        const first = reason_policies.findIndex((one) => one.update === update);
        return (
          <li key={reason} data-reason={reason}>
            <div>
              <p>
                <PreflightText text={reason} token={token ?? undefined} />.
              </p>
              <p class="note">{explanations[policy_type]}</p>
            </div>
            {fix &&
              (first === index ? (
                <Fix update={fix} account={account} />
              ) : (
                <p class="note">The transaction of reason {first + 1} fixes this too.</p>
              ))}
          </li>
        );
      })}
    </ol>
  );
}
