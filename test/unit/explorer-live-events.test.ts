import { describe, expect, it } from "vitest";
import type { StreamedEvent } from "../../client/src/api";
import { addMessage, concerns } from "../../explorer/live/events";
import type { LiveEvent } from "../../explorer/page";

const event = (block: number): StreamedEvent => ({
  id: `event of block ${block}`,
  event: "AgentRevoked",
  contract: "AgentRegistry",
  block_number: String(block),
  block_hash: "0x01",
  log_index: 0,
  timestamp: "1",
  tx_hash: "0x02",
  args: { agentId: "1" },
  summary: "",
  finality: "pending",
});

const arrived = (block: number) => ({ type: "event", id: `${block}`, data: event(block) }) as const;
const removed = (block: number) => ({ type: "removed", id: `${block}`, data: event(block) }) as const;
const finalized = (block: number) =>
  ({ type: "finalized", id: `${block}`, data: { block_number: String(block) } }) as const;

const stateOf = ({ block_number, isReverted, finality }: LiveEvent) => [block_number, isReverted, finality];

describe("the events that a page shows", () => {
  const none: readonly LiveEvent[] = [];

  it("are newest first, and marked when a reorg removes them or a block is finalized", () => {
    const messages = [arrived(1), arrived(2), arrived(3), removed(3), finalized(1)];
    expect(messages.reduce(addMessage, none).map(stateOf)).toEqual([
      ["3", true, "pending"],
      ["2", false, "pending"],
      ["1", false, "finalized"],
    ]);
  });

  it("appear once, also if one is sent again after its removal", () => {
    const messages = [arrived(1), removed(1), arrived(1)];
    expect(messages.reduce(addMessage, none).map(stateOf)).toEqual([["1", false, "pending"]]);
  });

  it("are at most 100", () => {
    const messages = Array.from({ length: 150 }, (_, block) => arrived(block));
    const events = messages.reduce(addMessage, none);
    expect(events).toHaveLength(100);
    expect(events[0]?.block_number).toBe("149");
  });

  it("cause a new load only if the page may lack them", () => {
    expect([arrived(4), arrived(5), removed(4), finalized(9)].map((message) => concerns(message, 5n))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
