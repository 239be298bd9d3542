import type { AgentRecord, AgentReputation, Policy, Trust } from "../../client/src/api";
import { ActOnAgent } from "../acting/on-records";
import { type Activity, ActivitySection, readActivity } from "../components/activity";
import { Facts, Technical, Unavailable } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { include, MetadataFacts, NamedHeading, type Shown, titleOf, withShownMetadata } from "../components/metadata";
import { PolicySection } from "../components/policies";
import { type ListPage, RecordTabs, readTab } from "../components/record-tabs";
import { ReputationStats } from "../components/reputation";
import { ScoreSection, TrustSection } from "../components/trust";
import { Account, Block, Uri } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifAvailable } from "../reads";
import {
  attestationsAbout,
  disputesOf,
  intentsOf,
  quotesOf,
  receiptsOf,
  settlementsOf,
  signalsAbout,
} from "../record-lists";
import { describeAgent } from "../social/descriptions";

/** Policies that a page shows. */
const SHOWN_POLICIES = 20;

type Data = {
  agent: Shown<AgentRecord>;
  /** Null if they could not be read. */
  reputation: Pick<AgentReputation, "score" | "record"> | null;
  trust: Trust | null;
  policies: readonly Policy[] | null;
  hasMorePolicies: boolean;
  activity: Activity;
  list: ListPage;
};

const listsOf = ({ agent_id, owner }: Pick<AgentRecord, "agent_id" | "owner">) =>
  [
    receiptsOf({ agent: owner }),
    intentsOf({ owner }),
    quotesOf({ agent: owner }),
    settlementsOf({ payer: owner }),
    disputesOf({ opener: owner }),
    attestationsAbout(owner),
    signalsAbout("agent", agent_id),
  ] as const;

const View = ({ data, live, parameters }: ViewProps<Data>) => {
  const { agent, reputation, trust, activity, list } = data;
  const path = links.agent(agent.agent_id);
  return (
    <>
      <NamedHeading
        kind="agent"
        id={agent.agent_id}
        status={agent.revoked ? "REVOKED" : "ACTIVE"}
        address={agent.owner}
        metadata={agent.metadata}
        byline={
          <>
            Acts for <Hex value={agent.owner} bare href={links.account(agent.owner)} />
          </>
        }
      />
      {reputation ? (
        <ReputationStats {...reputation} payments="Payments" counterparties="Merchants" disputes="Disputes opened" />
      ) : (
        <Unavailable />
      )}
      <div class="columns even">
        <PolicySection
          title="What it may spend"
          account={agent.owner}
          policies={data.policies}
          hasMore={data.hasMorePolicies}
        />
        <ActivitySection path={path} parameters={parameters} activity={activity} />
        <TrustSection trust={trust} />
        {reputation && <ScoreSection {...reputation} />}
      </div>
      <RecordTabs path={path} parameters={parameters} lists={listsOf(agent)} page={list} />
      <EventLog title="Recent events of this agent" live={live} />
      <ActOnAgent agent={agent} />
      <Technical>
        <Facts
          items={[
            { field: "owner", label: "Owner", value: <Account value={agent.owner} full /> },
            { field: "metadata_uri", label: "Metadata URI", value: <Uri value={agent.metadata_uri} /> },
            { field: "pubkey", label: "Public key", value: <code class="text">{agent.pubkey}</code> },
            {
              field: "capabilities_hash",
              label: "Capabilities hash",
              value: <Hex value={agent.capabilities_hash} full />,
            },
            { field: "block_number", label: "Block", value: <Block value={agent.block_number} /> },
          ]}
        />
        <MetadataFacts metadata={agent.metadata} api={`/agents/${agent.agent_id}`} />
      </Technical>
    </>
  );
};

export const agentPage = page<Data>({
  path: links.agent(":id"),
  title: ({ agent }) => titleOf("agent", agent.agent_id, agent),
  description: ({ agent }) => describeAgent(agent),
  async load(api, parameters, onFailure) {
    const { id = "" } = parameters;
    const [record, reputation, trust] = await Promise.all([
      api.agents.get.query({ agentId: id, include }),
      ifAvailable(api.agents.reputation.query({ agentId: id }), onFailure),
      ifAvailable(api.trust.check.query({ kind: "agent", id }), onFailure),
    ]);
    const agent = withShownMetadata(record);
    const [found, activity, list] = await Promise.all([
      ifAvailable(api.accounts.policies.query({ address: agent.owner, limit: SHOWN_POLICIES }), onFailure),
      readActivity(api, "payments", { agent: agent.owner }, parameters, onFailure),
      readTab(api, listsOf(agent), parameters),
    ]);
    return {
      agent,
      reputation: reputation && { score: reputation.score, record: reputation.record },
      trust,
      policies: found?.policies ?? null,
      hasMorePolicies: found?.pagination.next_cursor != null,
      activity,
      list,
    };
  },
  View,
  subscription: ({ agent }) => ({ filter: { account: agent.owner } }),
});
