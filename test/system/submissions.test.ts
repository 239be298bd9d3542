import { encodeFunctionData, type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentRegistryAbi, attestationRegistryAbi, intentBookAbi } from "../../abis/index";
import { signIntent } from "../../client/src/intents";
import { anyExecution, type SignableIntent } from "../../common/intent";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { intentHash } from "../../src/lib/intent-hash";
import { actor, mined } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { type Stack, startStack } from "../support/stack";

const [signer, stranger] = [actor(1), actor(2)];

/** The number of contract reads by the handlers, from Ponder's metrics. */
async function contractReads({ ponderUrl }: Stack): Promise<number> {
  const metrics = await (await fetch(`${ponderUrl}/metrics`)).text();
  const counts = [...metrics.matchAll(/^ponder_indexing_rpc_requests_total\{[^}]*\} (\d+)/gm)];
  return counts.reduce((total, [, count]) => total + Number(count), 0);
}

describe("data that an event lacks", () => {
  let stack: Stack;
  let readsBefore = 0;

  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack?.stop());

  /** The number of contract reads since the last call. */
  const newReads = async () => {
    await stack.indexed();
    const before = readsBefore;
    readsBefore = await contractReads(stack);
    return readsBefore - before;
  };

  const intentOf = (nonce: bigint): SignableIntent => ({
    owner: signer.address,
    intentType: 0,
    constraints: { amountInMax: 1_000n + nonce, amountOutMin: 900n, deadline: 2n ** 40n, slippageBps: 30 },
    execution: {
      ...anyExecution,
      target: stranger.address,
      dataHash: hashOf(`data ${nonce}`),
      metadataURIHash: hashOf(`metadata ${nonce}`),
    },
    inputToken: zeroAddress,
    outputToken: stack.contracts.TestDollar,
    nonce,
  });
  const signed = (nonce: bigint) =>
    signIntent(signer, intentOf(nonce), { intentBook: stack.contracts.IntentBook, chainId: LOCAL_CHAIN_ID });

  const registration = (name: string) =>
    encodeFunctionData({
      abi: agentRegistryAbi,
      functionName: "registerAgent",
      args: [name, "0xc0ffee", hashOf(name)],
    });
  const attestation = (data: string): Hex =>
    encodeFunctionData({
      abi: attestationRegistryAbi,
      functionName: "submitAttestation",
      args: [hashOf("schema"), hashOf("subject"), hashOf(data)],
    });
  const submission = async (nonce: bigint) =>
    encodeFunctionData({ abi: intentBookAbi, functionName: "submitIntent", args: await signed(nonce) });

  /** Checks that the newest rows equal the submissions. */
  async function expectSubmitted(names: string[], data: string[], nonces: bigint[]) {
    const agents = (await stack.rows("agent")).slice(-names.length);
    expect(agents.map(({ metadataUri, pubkey, capabilitiesHash }) => [metadataUri, pubkey, capabilitiesHash])).toEqual(
      names.map((name) => [name, "0xc0ffee", hashOf(name)]),
    );
    const attestations = (await stack.rows("attestation")).slice(-data.length);
    expect(attestations.map(({ dataHash }) => dataHash)).toEqual(data.map(hashOf));
    const intents = (await stack.rows("intent")).slice(-nonces.length);
    expect(intents.map((row) => [row.nonce, row.amountInMax, row.executionDataHash, row.intentHash])).toEqual(
      nonces.map((nonce) => [
        String(nonce),
        String(1_000n + nonce),
        hashOf(`data ${nonce}`),
        intentHash(intentOf(nonce)),
      ]),
    );
  }

  it("comes from the calldata of a direct call, without a contract read", async () => {
    await stack.write(signer, "AgentRegistry", "registerAgent", ["direct", "0xc0ffee", hashOf("direct")]);
    await stack.write(signer, "AttestationRegistry", "submitAttestation", [
      hashOf("schema"),
      hashOf("subject"),
      hashOf("direct"),
    ]);
    await stack.write(stranger, "IntentBook", "submitIntent", await signed(1n));
    await expectSubmitted(["direct"], ["direct"], [1n]);
    expect(await newReads()).toBe(0);
  });

  it("comes from the contract for a call through a PolicyAccount", async () => {
    const { AgentRegistry, AttestationRegistry, IntentBook, PolicyAccount } = stack.contracts;
    for (const target of [AgentRegistry, AttestationRegistry, IntentBook])
      await stack.write(signer, "PolicyAccount", "setTargetAllowed", [target, true]);
    await stack.write(signer, "PolicyAccount", "execute", [AgentRegistry, 0n, registration("account")]);
    await stack.write(signer, "PolicyAccount", "execute", [AttestationRegistry, 0n, attestation("account")]);
    await stack.write(signer, "PolicyAccount", "execute", [IntentBook, 0n, await submission(2n)]);
    await expectSubmitted(["account"], ["account"], [2n]);
    expect(await newReads()).toBe(3);
    expect((await stack.rows("agent")).at(-1)?.owner).toBe(PolicyAccount.toLowerCase());
  });

  it("comes from the contract for several submissions in one transaction", async () => {
    const { AgentRegistry, AttestationRegistry, IntentBook } = stack.contracts;
    const call = (target: Hex, data: Hex) => ({ target, value: 0n, data });
    await stack.write(stranger, "Multicall", "aggregate", [
      [
        call(AgentRegistry, registration("one")),
        call(AttestationRegistry, attestation("one")),
        call(IntentBook, await submission(3n)),
        call(AgentRegistry, registration("two")),
        call(AttestationRegistry, attestation("two")),
        call(IntentBook, await submission(4n)),
      ],
    ]);
    await expectSubmitted(["one", "two"], ["one", "two"], [3n, 4n]);
    expect(await newReads()).toBe(6);
  });

  it("comes from the calldata of a direct call with extra bytes after its arguments", async () => {
    const transaction = {
      account: signer,
      to: stack.contracts.AgentRegistry,
      data: `${registration("padded")}deadbeef`,
    } as const;
    await mined(stack.client, stack.client.sendTransaction(transaction));
    expect((await stack.rows("agent")).at(-1)).toMatchObject({ metadataUri: "padded", pubkey: "0xc0ffee" });
    expect(await newReads()).toBe(0);
  });
});
