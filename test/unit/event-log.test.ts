import { describe, expect, it } from "vitest";
import { argumentEncoder } from "../../src/lib/event-log";
import { cleanText } from "../../src/lib/text";

describe("the event log's arguments", () => {
  it("are decimal strings for wide integers, and unchanged for other types", () => {
    const encode = argumentEncoder("CommerceRegistry", "TrustSignalRecorded");
    expect(
      JSON.parse(
        encode({
          signalId: 2n ** 256n - 1n,
          subjectType: 3,
          subjectId: 0n,
          kind: 1,
          reporter: "0x00000000000000000000000000000000000000aa",
          signalHash: `0x${"ab".repeat(32)}`,
        }),
      ),
    ).toEqual({
      signalId: (2n ** 256n - 1n).toString(),
      subjectType: 3,
      subjectId: "0",
      kind: 1,
      reporter: "0x00000000000000000000000000000000000000aa",
      signalHash: `0x${"ab".repeat(32)}`,
    });
  });

  it("contain no NUL, which PostgreSQL rejects", () => {
    const encode = argumentEncoder("AgentRegistry", "AgentRegistered");
    expect(JSON.parse(encode({ agentId: 1n, owner: "0xaa", metadataURI: "a\0b\0" }))).toEqual({
      agentId: "1",
      owner: "0xaa",
      metadataURI: "a\uFFFDb\uFFFD",
    });
  });

  it("throw at start for an event that the contract does not have", () => {
    expect(() => argumentEncoder("AgentRegistry", "AgentLost")).toThrow("AgentRegistry has no event AgentLost");
  });
});

describe("cleanText", () => {
  it("removes only NUL", () => {
    const text = "\u0001 é \u{1F600} \uFFFF 0x\n";
    expect(cleanText(text)).toBe(text);
  });
});
