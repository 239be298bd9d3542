import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { FollowingClient } from "../support/event-client";
import { type Stack, startStack } from "../support/stack";

const [owner, agent] = [actor(1), actor(2)];

describe("live events over a restart", () => {
  let stack: Stack;
  const clients: FollowingClient[] = [];

  beforeAll(async () => {
    stack = await startStack();
    await register("first");
  });
  afterAll(() => stack?.stop());
  afterEach(() => {
    for (const client of clients.splice(0)) client.cut();
  });

  const register = (name: string) => stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
  const limit = (amount: bigint) =>
    stack.write(owner, "PolicyModule", "setSpendLimit", [stack.contracts.TestDollar, amount]);

  /** The event log as GraphQL returns it, to compare streams with. */
  const logged = async () =>
    (await stack.rows("eventLog")).map(({ id, blockHash }) => `${id}-${blockHash.slice(2, 18)}`).sort();

  const follow = async () => {
    const client = new FollowingClient(`${stack.apiUrl}/events?from_block=0`);
    clients.push(client);
    await client.connect();
    return client;
  };
  const agrees = async (client: FollowingClient) => {
    const truth = await logged();
    await expect.poll(() => client.held).toEqual(truth);
    expect(client.problems).toEqual([]);
  };

  it("resume without gaps or duplicates, and streams end before the service stops", async () => {
    const client = await follow();
    await limit(12n);
    await agrees(client);
    const stopping = stack.stopIndexer();
    await client.connection?.ended;
    expect(await stopping).toBe(0);
    await register("while it was down");
    await stack.startIndexer();
    await client.connect();
    await agrees(client);
    expect(client.removed).toEqual([]);
  });

  it("are removed, if a reorg removed them meanwhile", async () => {
    const client = await follow();
    const snapshot = await stack.client.snapshot();
    await register("before the restart");
    await limit(13n);
    await agrees(client);
    const lost = client.held.slice(-2);
    await stack.stopIndexer();
    await stack.client.revert({ id: snapshot });
    await limit(14n);
    await stack.client.mine({ blocks: 3 });
    await stack.startIndexer();
    await client.connect();
    await agrees(client);
    expect(client.removed).toEqual([...lost].reverse());
  });
});
