import type { Agent, Attestation, Attestor, Intent, Merchant, Policy, Receipt, Solver } from "../../client/src/api";
import { Heading, Section, TableSection } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { IntentTable } from "../components/intents";
import { PolicySentences } from "../components/policies";
import {
  AgentTable,
  AttestationTable,
  AttestorTable,
  MerchantTable,
  ReceiptTable,
  SolverTable,
} from "../components/tables";
import { links, withQuery } from "../links";
import { page, type ViewProps } from "../page";
import { shortHex } from "../text/format";

const SHOWN = 20;

type Data = {
  account: string;
  policies: readonly Policy[];
  hasMorePolicies: boolean;
  agents: readonly Agent[];
  intents: readonly Intent[];
  receipts: readonly Receipt[];
  solvers: readonly Solver[];
  attestors: readonly Attestor[];
  merchants: readonly Merchant[];
  attestations: readonly Attestation[];
};

const AccountView = ({ data, live }: ViewProps<Data>) => (
  <>
    <Heading kind="Account">
      <Hex value={data.account} full />
    </Heading>
    <Section
      title="Policies"
      id="policies"
      note={<a href={withQuery(links.preflight, { account: data.account })}>Check a transaction against them</a>}
    >
      <PolicySentences policies={data.policies} />
      {data.hasMorePolicies && (
        <p>
          <a href={`/accounts/${data.account}/policies`}>These are the first {data.policies.length} policies</a>
        </p>
      )}
    </Section>
    <TableSection title="Agents" id="agents" Rows={AgentTable} rows={data.agents} caption="Agents of this account" />
    <TableSection
      title="Newest intents"
      id="intents"
      Rows={IntentTable}
      rows={data.intents}
      caption="Newest intents of this account"
    />
    <TableSection
      title="Newest receipts"
      id="receipts"
      Rows={ReceiptTable}
      rows={data.receipts}
      caption="Newest payments of this account"
    />
    {data.solvers.length > 0 && (
      <TableSection
        title="Solvers"
        id="solvers"
        Rows={SolverTable}
        rows={data.solvers}
        caption="Solvers that this account operates"
      />
    )}
    {data.attestors.length > 0 && (
      <TableSection
        title="Attestors"
        id="attestors"
        Rows={AttestorTable}
        rows={data.attestors}
        caption="Attestors that this account operates"
      />
    )}
    {data.attestations.length > 0 && (
      <TableSection
        title="Attestations"
        id="attestations"
        Rows={AttestationTable}
        rows={data.attestations}
        caption="Attestations by this account"
      />
    )}
    {data.merchants.length > 0 && (
      <TableSection
        title="Merchants"
        id="merchants"
        Rows={MerchantTable}
        rows={data.merchants}
        caption="Merchants of this account"
      />
    )}
    <EventLog title="Recent events of this account" live={live} />
  </>
);

export const accountPage = page<Data>({
  path: links.account(":address"),
  title: ({ account }) => `Account ${shortHex(account)}`,
  description: ({ account }) => `Policies, intents and payments of the account ${account}.`,
  async load(api, { address = "" }) {
    const limit = SHOWN;
    const [policies, agents, intents, receipts, solvers, attestors, merchants, attestations] = await Promise.all([
      api.accounts.policies.query({ address, limit: 100 }),
      api.agents.list.query({ owner: address, limit }),
      api.intents.list.query({ owner: address, limit }),
      api.receipts.list.query({ agent: address, limit }),
      api.solvers.list.query({ operator: address, limit }),
      api.attestors.list.query({ operator: address, limit }),
      api.merchants.list.query({ owner: address, limit }),
      api.attestations.list.query({ attester: address, limit }),
    ]);
    const hasMorePolicies = policies.pagination.next_cursor !== null;
    return {
      hasMorePolicies,
      ...policies,
      ...agents,
      ...intents,
      ...receipts,
      ...solvers,
      ...attestors,
      ...merchants,
      ...attestations,
    };
  },
  View: AccountView,
  subscription: ({ account }) => ({ filter: { account } }),
});
