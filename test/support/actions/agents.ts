import { call } from "./calls";
import { anyBytes, anyHash, anyText } from "./values";
import { type ActionKind, anySender, may, nextId } from "./world";

export const agentActions: ActionKind[] = [
  {
    name: "register an agent",
    weight: 5,
    act(world) {
      const { random } = world;
      const owner = anySender(world, "AgentRegistry", "registerAgent");
      if (!owner) return null;
      world.agents.push({ agentId: nextId(world.agents), owner, revoked: false });
      const pubkey = anyBytes(random, random.pick([0, 1, 33, 65, 700]));
      return call(world, owner, "AgentRegistry", "registerAgent", [anyText(random), pubkey, anyHash(random)]);
    },
  },
  {
    name: "update an agent",
    weight: 3,
    act(world) {
      const { random } = world;
      const agent = random.pick(
        world.agents.filter(({ revoked, owner }) => !revoked && may(world, owner, "AgentRegistry", "updateAgent")),
      );
      if (!agent) return null;
      const { owner, agentId } = agent;
      return call(world, owner, "AgentRegistry", "updateAgent", [agentId, anyText(random), anyHash(random)]);
    },
  },
  {
    name: "revoke an agent",
    weight: 1,
    act(world) {
      const agent = world.random.pick(
        world.agents.filter(({ revoked, owner }) => !revoked && may(world, owner, "AgentRegistry", "revokeAgent")),
      );
      if (!agent) return null;
      agent.revoked = true;
      return call(world, agent.owner, "AgentRegistry", "revokeAgent", [agent.agentId]);
    },
  },
];
