import type { Policy } from "../../client/src/api";
import { links, withQuery } from "../links";
import { NATIVE_COIN } from "../tokens";
import { Section, Unavailable } from "./blocks";
import { Amount, Token } from "./tokens";
import { Account, None, Time } from "./values";

/** No guardian, or no facilitator. */
export const NO_ACCOUNT = NATIVE_COIN;

/** A maximum of 0 means no limit. */
export const Limit = ({ value, token, per }: { value: string; token: string; per: string }) =>
  value === "0" ? (
    <>
      any amount of <Token value={token} /> per {per}
    </>
  ) : (
    <>
      at most <Amount value={value} token={token} /> per {per}
    </>
  );

/** What a policy means for the account. */
function Sentence({ policy }: { policy: Policy }) {
  switch (policy.policy_type) {
    case "ACCOUNT_FROZEN":
      return policy.frozen ? <>The account is frozen. It can do nothing.</> : <>The account is not frozen.</>;
    case "GUARDIAN":
      return policy.guardian === NO_ACCOUNT ? (
        <>No guardian can freeze the account.</>
      ) : (
        <>
          <Account value={policy.guardian} bare /> is the guardian, and can freeze and unfreeze the account.
        </>
      );
    case "TARGET_ALLOWLIST":
      return (
        <>
          May {policy.allowed || "not "}call <Account value={policy.target} bare />.
        </>
      );
    case "FUNCTION_ALLOWLIST_MODE":
      return policy.enabled ? (
        <>May call only the functions on its allowlist.</>
      ) : (
        <>May call all functions of its allowed targets.</>
      );
    case "FUNCTION_ALLOWLIST":
      return (
        <>
          The function <code>{policy.selector}</code> of <Account value={policy.target} bare /> is{" "}
          {policy.allowed ? "on" : "not on"} its function allowlist.
        </>
      );
    case "SPEND_LIMIT":
      return (
        <>
          May spend <Limit value={policy.max_per_day} token={policy.token} per="day" />. Spent under this limit today:{" "}
          <Amount value={policy.spent_today} token={policy.token} />
          {policy.window_resets_at !== null && (
            <>
              , counted until <Time seconds={policy.window_resets_at} isDeadline />
            </>
          )}
          .
        </>
      );
    case "PAYMENT_POLICY":
      return policy.allowed ? (
        <>
          May pay <Account value={policy.merchant} bare />{" "}
          <Limit value={policy.max_per_payment} token={policy.token} per="payment" /> and{" "}
          <Limit value={policy.max_per_day} token={policy.token} per="day" />
          {policy.facilitator !== NO_ACCOUNT && (
            <>
              {" "}
              through <Account value={policy.facilitator} bare />
            </>
          )}
          .
        </>
      ) : (
        <>
          May not pay <Account value={policy.merchant} bare /> with <Token value={policy.token} />.
        </>
      );
  }
}

/** The parts that make a policy unique in its account. */
const keyOf = (policy: Policy) =>
  Object.entries(policy)
    .filter(([name]) => ["policy_type", "target", "selector", "token", "merchant", "facilitator"].includes(name))
    .map(([, value]) => value)
    .join(" ");

const PolicySentences = ({ policies }: { policies: readonly Policy[] }) =>
  policies.length === 0 ? (
    <p>
      <None>The account has set no policies.</None>
    </p>
  ) : (
    <ul class="sentences">
      {policies.map((policy) => (
        <li key={keyOf(policy)} data-policy={policy.policy_type}>
          <Sentence policy={policy} />
        </li>
      ))}
    </ul>
  );

type SectionProps = {
  account: string;
  title: string;
  /** Null if they could not be read. */
  policies: readonly Policy[] | null;
  /** Whether the account has more of them. */
  hasMore: boolean;
};

/** What an account may do. */
export const PolicySection = ({ account, title, policies, hasMore }: SectionProps) => (
  <Section
    title={title}
    id="policies"
    note={<a href={withQuery(links.preflight, { account })}>Check a transaction against the policies</a>}
  >
    {policies === null ? <Unavailable /> : <PolicySentences policies={policies} />}
    {hasMore && policies !== null && (
      <p class="note">
        These are the first {policies.length}. <a href={`/accounts/${account}/policies`}>All policies</a>
      </p>
    )}
  </Section>
);
