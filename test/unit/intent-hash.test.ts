import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intentHash as clientIntentHash } from "../../common/intent";
import { intentHash } from "../../src/lib/intent-hash";
import { intent } from "./arbitrary-intent";

describe("intentHash", () => {
  it("equals the hash of a general EIP-712 encoder for any intent", () => {
    fc.assert(
      fc.property(intent, (data) => {
        expect(intentHash(data)).toBe(clientIntentHash(data));
      }),
    );
  });

  it("differs if any field differs", () => {
    fc.assert(
      fc.property(intent, intent, (one, other) => {
        expect(intentHash({ ...one, nonce: other.nonce }) === intentHash(one)).toBe(one.nonce === other.nonce);
        expect(intentHash({ ...one, execution: other.execution }) === intentHash(one)).toBe(
          JSON.stringify(one.execution) === JSON.stringify(other.execution),
        );
      }),
    );
  });
});
