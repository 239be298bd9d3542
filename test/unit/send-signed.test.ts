import { encodeFunctionData, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, it, vi } from "vitest";
import { intentBookAbi, policyAccountAbi } from "../../abis/index";
import { createIntentryClient, type PreparedAction } from "../../client/src/index";
import { submissionOf } from "../../client/src/intents";
import type { Wallet } from "../../client/src/market/wallet";
import { problemOfSigned } from "../../client/src/signed-intent";
import { anyExecution, intentTypes, type SignableIntent } from "../../common/intent";

const account = privateKeyToAccount(`0x${"1".repeat(64)}`);
const owner = account.address.toLowerCase() as Hex;
const book: Hex = `0x${"2e".repeat(20)}`;
const policyAccount: Hex = `0x${"4d".repeat(20)}`;
const other: Hex = `0x${"3f".repeat(20)}`;
const hash: Hex = `0x${"1f".repeat(32)}`;
const chainId = 31_337;

const intent: SignableIntent = {
  owner,
  intentType: 0,
  constraints: { amountInMax: 1_000n, amountOutMin: 900n, deadline: 2_000_000_000n, slippageBps: 50 },
  execution: anyExecution,
  inputToken: `0x${"5a".repeat(20)}`,
  outputToken: `0x${"5b".repeat(20)}`,
  nonce: 7n,
};

const domain = { name: "AgentIntentBook", version: "1", chainId, verifyingContract: book };

const domainTypes = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/** JSON has no bigints. */
const asJson = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one)));

const typed_data = { domain, types: { EIP712Domain: domainTypes, ...asJson(intentTypes) }, primaryType: "Intent" };

const toSign: PreparedAction = {
  summary: "Sign an intent.",
  transactions: [],
  typed_data: { ...typed_data, message: asJson(intent) },
  simulation: null,
  warnings: [],
  next: { description: "", action: "submitIntent", input: { from: owner } },
};

const calldata = (submitted: SignableIntent, signature: Hex) =>
  encodeFunctionData({ abi: intentBookAbi, functionName: "submitIntent", args: submissionOf(submitted, signature) });

type Transaction = PreparedAction["transactions"][number];

const transactionOf = (data: Hex): Transaction => ({
  ...{ from: owner, to: book, data, value: "0", chainId, gas: null, description: "" },
});

/** Sends an action whose service answers to the signature. Returns what the wallet was asked for. */
async function sendWith(action: PreparedAction, answer: (signature: Hex) => readonly Transaction[] = () => []) {
  const sendTransaction = vi.fn(async (_: { data: Hex }) => hash);
  const signTypedData = vi.fn(account.signTypedData);
  const receipt = { status: "success", logs: [], blockHash: hash, blockNumber: 5n, transactionHash: hash };
  const wallet = {
    ...{ account, chain: { id: chainId }, sendTransaction, signTypedData },
    getTransactionReceipt: async () => receipt,
  } as unknown as Wallet;
  const intentry = createIntentryClient({
    url: "http://service.example",
    retries: 0,
    async fetch(url, request) {
      const answers = new URL(String(url)).pathname.replace("/trpc/", "").split(",");
      const [input] = Object.values(JSON.parse(String(request?.body ?? "[{}]"))) as { signature: Hex }[];
      const data: Record<string, () => unknown> = {
        "status.ready": () => ({ block_number: "5" }),
        "transactions.explain": () => ({ events: [] }),
        "actions.submitIntent": () => ({
          ...toSign,
          typed_data: undefined,
          transactions: answer(input?.signature ?? "0x"),
        }),
      };
      return Response.json(answers.map((name) => ({ result: { data: data[name]?.() } })));
    },
  });
  const sent = await intentry.send(wallet, action).catch((error: unknown) => error);
  return { sent, sendTransaction, signTypedData };
}

describe("send, for an action with a message to sign", () => {
  it("sends the transaction that submits exactly the signed intent", async () => {
    const { sent, sendTransaction } = await sendWith(toSign, (signature) => [
      transactionOf(calldata(intent, signature)),
    ]);
    const { signature } = sent as { signature: Hex };
    expect(sent).toMatchObject({ receipts: [{ transactionHash: hash }], events: [] });
    expect(sendTransaction.mock.calls).toEqual([[{ to: book, data: calldata(intent, signature), value: 0n }]]);
  });

  it("sends it through the policy account that acts", async () => {
    const next = {
      description: "",
      action: "submitIntent",
      input: { from: policyAccount, account: "policy", signer: owner },
    };
    const execution = (target: Hex, value: bigint, signature: Hex) =>
      encodeFunctionData({
        abi: policyAccountAbi,
        functionName: "execute",
        args: [target, value, calldata(intent, signature)],
      });
    const through = (to: Hex, target: Hex, value: bigint) =>
      sendWith({ ...toSign, next }, (signature) => [
        { ...transactionOf(execution(target, value, signature)), to, from: owner },
      ]);
    expect((await through(policyAccount, book, 0n)).sent).toMatchObject({ receipts: [{ transactionHash: hash }] });
    for (const lie of [through(other, book, 0n), through(policyAccount, other, 0n), through(policyAccount, book, 1n)]) {
      const { sent, sendTransaction } = await lie;
      expect(sent).toMatchObject({
        code: "transaction_failed",
        message: expect.stringMatching(/\. Nothing was sent$/),
      });
      expect(sendTransaction).not.toHaveBeenCalled();
    }
  });

  const { constraints, execution } = intent;
  const lies: Record<string, SignableIntent> = {
    owner: { ...intent, owner: other },
    intentType: { ...intent, intentType: 1 },
    amountInMax: { ...intent, constraints: { ...constraints, amountInMax: 1_001n } },
    amountOutMin: { ...intent, constraints: { ...constraints, amountOutMin: 1n } },
    deadline: { ...intent, constraints: { ...constraints, deadline: 2_000_000_001n } },
    slippageBps: { ...intent, constraints: { ...constraints, slippageBps: 51 } },
    target: { ...intent, execution: { ...execution, target: other } },
    dataHash: { ...intent, execution: { ...execution, dataHash: hash } },
    requiredAttestationSubject: { ...intent, execution: { ...execution, requiredAttestationSubject: hash } },
    requiredAttestationSchema: { ...intent, execution: { ...execution, requiredAttestationSchema: hash } },
    metadataURIHash: { ...intent, execution: { ...execution, metadataURIHash: hash } },
    inputToken: { ...intent, inputToken: other },
    outputToken: { ...intent, outputToken: other },
    nonce: { ...intent, nonce: 8n },
  };

  it.each<[string, (signature: Hex) => readonly Transaction[], string]>([
    ...Object.entries(lies).map(
      ([field, lie]) =>
        [
          `another ${field}`,
          (signature: Hex) => [transactionOf(calldata(lie, signature))],
          "a transaction whose calldata differs",
        ] as [string, (signature: Hex) => readonly Transaction[], string],
    ),
    [
      "another signature",
      () => [transactionOf(calldata(intent, `0x${"2".repeat(128)}1b`))],
      "a transaction whose calldata differs",
    ],
    [
      "bytes after the arguments",
      (signature) => [transactionOf(`${calldata(intent, signature)}00`)],
      "a transaction whose calldata differs",
    ],
    ["another function", () => [transactionOf("0xa9059cbb")], "a transaction whose calldata differs"],
    [
      "another contract",
      (signature) => [{ ...transactionOf(calldata(intent, signature)), to: other }],
      "a transaction whose target differs",
    ],
    [
      "a value",
      (signature) => [{ ...transactionOf(calldata(intent, signature)), value: "1" }],
      "a transaction whose value differs",
    ],
    [
      "another chain",
      (signature) => [{ ...transactionOf(calldata(intent, signature)), chainId: 1 }],
      "a transaction whose chain differs",
    ],
    [
      "a second transaction",
      (signature) => [transactionOf(calldata(intent, signature)), transactionOf("0xa9059cbb")],
      "2 transactions instead of one",
    ],
    ["no transaction", () => [], "0 transactions instead of one"],
  ])("attack: sends nothing if the service answers to the signature with %s", async (_, answer, what) => {
    const { sent, sendTransaction } = await sendWith(toSign, answer);
    expect(sent).toMatchObject({
      code: "transaction_failed",
      message: `The service answered to the signed intent with ${what}. Nothing was sent`,
    });
    expect(sendTransaction).not.toHaveBeenCalled();
  });

  const permit = {
    domain,
    types: { Permit: [{ name: "spender", type: "address" }] },
    primaryType: "Permit",
    message: { spender: other },
  };
  const foreign = { ...typed_data.types, Constraints: [{ name: "amountInMax", type: "uint256" }] };
  const message = asJson(intent);
  it.each([
    ["of another kind", { typed_data: permit }, "The message to sign is of type Permit, which no action has"],
    [
      "with the name of an inherited property",
      { typed_data: { ...permit, primaryType: "constructor" } },
      "The message to sign is of type constructor, which no action has",
    ],
    [
      "whose types leave fields out",
      { typed_data: { ...typed_data, types: foreign, message } },
      "The message to sign has other fields than Intent",
    ],
    [
      "that lacks fields",
      { typed_data: { ...typed_data, message: { owner } } },
      "The message to sign is not a valid Intent",
    ],
    [
      "that is valid on every chain",
      {
        typed_data: {
          ...typed_data,
          types: { ...typed_data.types, EIP712Domain: domainTypes.filter(({ name }) => name !== "chainId") },
          message,
        },
      },
      "The message to sign has other fields than Intent",
    ],
    [
      "of another chain",
      { typed_data: { ...typed_data, domain: { ...domain, chainId: 1 }, message } },
      "The action is for chain 1, and the wallet is on chain 31337",
    ],
    [
      "of another owner",
      { typed_data: { ...typed_data, message: { ...message, owner: other } } },
      `The intent is of ${other}, and the wallet's account is ${owner}`,
    ],
    [
      "beside a transaction",
      { transactions: [transactionOf("0x")] },
      "The action has both a message to sign and transactions",
    ],
  ])("attack: signs no message %s", async (_, change, problem) => {
    const { sent, signTypedData } = await sendWith({ ...toSign, ...change });
    expect(sent).toMatchObject({ code: "transaction_failed", message: `${problem}. Nothing was sent` });
    expect(signTypedData).not.toHaveBeenCalled();
  });

  it("sends nothing if the service does not say how to submit the intent", async () => {
    const { sent } = await sendWith({ ...toSign, next: null });
    expect(sent).toMatchObject({
      message: "The service does not say how to submit the signed intent. Nothing was sent",
    });
  });

  it("says why a wallet did not sign", async () => {
    const signTypedData = () => Promise.reject(new Error("User rejected"));
    const wallet = { account, chain: { id: chainId }, signTypedData } as unknown as Wallet;
    await expect(createIntentryClient({ url: "http://service.example" }).send(wallet, toSign)).rejects.toMatchObject({
      code: "transaction_failed",
      message: "The wallet did not sign: User rejected",
    });
  });

  it("returns the signature of an authorization, which goes to the merchant", async () => {
    const fields = [
      ["from", "address"],
      ["to", "address"],
      ["value", "uint256"],
      ["validAfter", "uint256"],
      ["validBefore", "uint256"],
      ["nonce", "bytes32"],
    ].map(([name = "", type = ""]) => ({ name, type }));
    const authorization = {
      domain: { ...domain, name: "Test Dollar" },
      types: { EIP712Domain: domainTypes, TransferWithAuthorization: fields },
      primaryType: "TransferWithAuthorization",
      message: { from: owner, to: other, value: "5", validAfter: "0", validBefore: "2000000000", nonce: hash },
    };
    const { sent } = await sendWith({ ...toSign, typed_data: authorization });
    const { EIP712Domain: _, ...types } = authorization.types;
    const signature = await account.signTypedData({ ...authorization, types } as never);
    expect(sent).toEqual({ receipts: [], events: [], signature });
  });
});

describe("the submission of an intent that was signed elsewhere", () => {
  const message = { domain, types: intentTypes, primaryType: "Intent", message: intent } as const;
  const answer = (data: Hex, change: Partial<Transaction> = {}): PreparedAction => ({
    ...toSign,
    transactions: [{ ...transactionOf(data), ...change }],
  });
  const through = (data: Hex) =>
    encodeFunctionData({ abi: policyAccountAbi, functionName: "execute", args: [book, 0n, data] });

  it("is exactly what the owner signed, directly or through a policy account", async () => {
    const signature = await account.signTypedData(message);
    const data = calldata(intent, signature);
    expect(await problemOfSigned(answer(data), signature, { from: owner })).toBeUndefined();
    const input = { from: policyAccount, account: "policy" };
    expect(await problemOfSigned(answer(through(data), { to: policyAccount }), signature, input)).toBeUndefined();
  });

  it("attack: is refused if the service changed it", async () => {
    const signature = await account.signTypedData(message);
    const data = calldata(intent, signature);
    const unsigned = `The signature is not one of ${account.address} for this intent`;
    for (const [changed, problem] of [
      [answer(calldata({ ...intent, nonce: 8n }, signature)), unsigned],
      [answer(data, { to: other }), unsigned],
      [answer(data, { chainId: 1 }), unsigned],
      [answer(data, { value: "1" }), "a transaction whose value differs"],
      [answer(through(data), { to: other }), "a transaction whose target differs"],
      [answer("0xa9059cbb"), "something else than its submission"],
      [{ ...toSign }, "something else than its submission"],
    ] as const)
      expect(await problemOfSigned(changed, signature, { from: owner })).toContain(problem);
  });
});
