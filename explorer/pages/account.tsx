import type { ComponentChildren } from "preact";
import type { Agent, Attestor, Merchant, Policy, Solver } from "../../client/src/api";
import { type Activity, ActivitySection, readActivity } from "../components/activity";
import { Heading, Section } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { PolicySection } from "../components/policies";
import { type RecordKind, RecordLink, useNameOfAccount } from "../components/record-link";
import { type ListPage, type RecordList, RecordTabs, readTab } from "../components/record-tabs";
import { Active, None, Status } from "../components/values";
import { links, withQuery } from "../links";
import { page, type ViewProps } from "../page";
import {
  attestationsAbout,
  attestationsOf,
  bidsOf,
  disputesOf,
  fillsOf,
  intentsOf,
  quotesOf,
  receiptsOf,
  settlementsOf,
} from "../record-lists";

/** Policies, and records of each kind that the account acts for, that the page shows. */
const SHOWN = 20;

type Data = {
  account: string;
  /** Its name if it is a contract of the protocol. */
  contract: string | null;
  policies: readonly Policy[];
  hasMorePolicies: boolean;
  agents: readonly Agent[];
  solvers: readonly Solver[];
  attestors: readonly Attestor[];
  merchants: readonly Merchant[];
  activity: Activity;
  list: ListPage;
};

type Roles = Pick<Data, "account" | "solvers" | "attestors">;

/** The lists of what the account does. Those of solvers and attestors only if it is one. */
const listsOf = ({ account, solvers, attestors }: Roles): readonly [RecordList, ...RecordList[]] => [
  intentsOf({ owner: account }),
  receiptsOf({ agent: account }),
  quotesOf({ agent: account }),
  settlementsOf({ payer: account }),
  ...(solvers.length > 0 ? [fillsOf({ solver: account }), bidsOf(account)] : []),
  disputesOf({ opener: account }),
  attestationsAbout(account),
  ...(attestors.length > 0
    ? [attestationsOf({ attester: account }, { tab: "attested", title: "Attestations by it" })]
    : []),
];

type RoleProps = { kind: RecordKind; id: string; state: ComponentChildren };

const Role = ({ kind, id, state }: RoleProps) => (
  <li data-role={`${kind}-${id}`}>
    <RecordLink kind={kind} id={id} before={kind} /> {state}
  </li>
);

/** The records that the account acts for. */
function RoleSection({ agents, merchants, solvers, attestors }: Data) {
  const isNothing = [agents, merchants, solvers, attestors].every(({ length }) => length === 0);
  return (
    <Section title="Acts for" id="roles">
      {isNothing ? (
        <p>
          <None>The account has registered no agent, merchant, solver or attestor.</None>
        </p>
      ) : (
        <ul class="sentences">
          {agents.map(({ agent_id, revoked }) => (
            <Role key={agent_id} kind="agent" id={agent_id} state={<Status value={revoked ? "REVOKED" : "ACTIVE"} />} />
          ))}
          {merchants.map(({ merchant_id, active }) => (
            <Role key={merchant_id} kind="merchant" id={merchant_id} state={<Active value={active} />} />
          ))}
          {solvers.map(({ solver_id, active }) => (
            <Role key={solver_id} kind="solver" id={solver_id} state={<Active value={active} />} />
          ))}
          {attestors.map(({ attestor_id, active }) => (
            <Role key={attestor_id} kind="attestor" id={attestor_id} state={<Active value={active} />} />
          ))}
        </ul>
      )}
    </Section>
  );
}

/** The name of the account if it has one, and its address in full, which no name can imitate. */
function Title({ account, contract }: Pick<Data, "account" | "contract">) {
  const name = useNameOfAccount(account) ?? contract;
  const address = (
    <span data-field="account">
      <Hex value={account} full />
    </span>
  );
  return (
    <Heading
      kind={contract === null ? "Account" : "Contract of the protocol"}
      mark={account}
      lead={name != null && address}
      actions={
        <a class="button" href={withQuery(links.portfolio, { address: account })}>
          Balances
        </a>
      }
    >
      {name == null ? address : <bdi>{name}</bdi>}
    </Heading>
  );
}

const View = ({ data, live, parameters }: ViewProps<Data>) => {
  const { account, contract, policies, hasMorePolicies, activity, list } = data;
  const path = links.account(account);
  return (
    <>
      <Title account={account} contract={contract} />
      <div class="columns even">
        <RoleSection {...data} />
        <PolicySection title="What it may do" account={account} policies={policies} hasMore={hasMorePolicies} />
      </div>
      <ActivitySection path={path} parameters={parameters} activity={activity} />
      <RecordTabs path={path} parameters={parameters} lists={listsOf(data)} page={list} />
      <EventLog title="Recent events of this account" live={live} />
    </>
  );
};

export const accountPage = page<Data>({
  path: links.account(":address"),
  title: ({ account, contract }, _, words) => contract ?? `Account ${words.account(account)}`,
  description: ({ account }) => `Policies, intents and payments of the account ${account}.`,
  async load(api, parameters, onFailure) {
    const { address = "" } = parameters;
    const limit = SHOWN;
    const [{ account, policies, pagination }, { contracts }, { agents }, { solvers }, { attestors }, { merchants }] =
      await Promise.all([
        api.accounts.policies.query({ address, limit }),
        api.status.protocol.query(),
        api.agents.list.query({ owner: address, limit }),
        api.solvers.list.query({ operator: address, limit }),
        api.attestors.list.query({ operator: address, limit }),
        api.merchants.list.query({ owner: address, limit }),
      ]);
    const [activity, list] = await Promise.all([
      readActivity(api, "payments", { agent: account }, parameters, onFailure),
      readTab(api, listsOf({ account, solvers, attestors }), parameters),
    ]);
    const hasMorePolicies = pagination.next_cursor !== null;
    const [contract = null] = Object.entries(contracts).find(([, deployed]) => deployed === account) ?? [];
    return { account, contract, policies, hasMorePolicies, agents, solvers, attestors, merchants, activity, list };
  },
  View,
  subscription: ({ account }) => ({ filter: { account } }),
});
