import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import {
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type LocalAccount,
  publicActions,
  zeroHash,
} from "viem";
import { anvil } from "viem/chains";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { intentBookAbi, policyAccountAbi } from "../../abis/index";
import { createIntentryClient, type IntentryClient, type PreparedAction } from "../../client/src/index";
import bytecode from "../../contracts/bytecode.json";
import { actor, mined } from "../../stack/local/chain";
import { cli, cliFile } from "../support/cli-run";
import { hasTerminals } from "../support/npm-start";
import { fund, ownAccount } from "../support/own-accounts";
import { type WrittenStack, writesStack } from "../support/shared-stack";

const [owner, solver, signer] = [
  ownAccount("owner that sends actions"),
  ownAccount("solver that sends actions"),
  ownAccount("signer that sends actions"),
];

describe("sending actions", () => {
  let stack: WrittenStack;
  let intentry: IntentryClient;
  let rpcUrl: string;
  let env: { INTENTRY_URL: string };

  const walletOf = (account: LocalAccount) =>
    createWalletClient({ account, chain: anvil, transport: http(rpcUrl) }).extend(publicActions);
  const nonceOf = ({ address }: LocalAccount) => stack.client.getTransactionCount({ address });

  /** Submits an intent of the owner with `send`. Returns its id. */
  async function submitIntent(): Promise<bigint> {
    const token = stack.contracts.TestDollar;
    const tokens = { input_token: token, output_token: token };
    const amounts = { amount_in_max: 1000, amount_out_min: 900, deadline: "30d" };
    const action = await intentry.actions.submitIntent({ from: owner.address, ...tokens, ...amounts });
    expect(action.transactions).toEqual([]);
    const { receipts, events, signature } = await intentry.send(walletOf(owner), action);
    expect(receipts).toMatchObject([{ status: "success" }]);
    expect(signature).toMatch(/^0x[\da-f]{130}$/);
    const [submitted] = events;
    if (submitted?.eventName !== "IntentSubmitted") throw new Error(`No intent was submitted: ${events}`);
    return BigInt(submitted.args.intentId);
  }

  beforeAll(async () => {
    stack = await writesStack();
    rpcUrl = stack.client.transport.url ?? "";
    env = { INTENTRY_URL: stack.apiUrl };
    await fund(stack.client, owner, solver, signer);
    intentry = createIntentryClient({ url: stack.apiUrl });
  });
  afterAll(() => stack?.release());

  it("sends one transaction, and the index shows it at once", async () => {
    const metadata = { name: "An agent that acts" };
    const action = await intentry.actions.registerAgent({ from: owner.address, metadata, capabilities: "trade" });
    const { receipts, events } = await intentry.send(walletOf(owner), action);
    expect(receipts).toHaveLength(1);
    const [registered] = events;
    if (registered?.eventName !== "AgentRegistered") throw new Error("No agent was registered");
    const agent = await intentry.agents.get({ agentId: registered.args.agentId });
    expect(agent).toMatchObject({ owner: owner.address.toLowerCase(), metadata_uri: registered.args.metadataURI });
  });

  it("signs an intent, and submits it with the signature", async () => {
    const intent = await intentry.intents.get({ id: await submitIntent() });
    expect(intent).toMatchObject({ status: "OPEN", owner: owner.address.toLowerCase(), amount_out_min: "900" });
  });

  it("sends the transactions of a policy account as its signer", async () => {
    const { PolicyModule, AgentRegistry } = stack.contracts;
    const args = [signer.address, PolicyModule];
    const code = bytecode.PolicyAccount as Hex;
    const deployment = walletOf(signer).deployContract({ abi: policyAccountAbi, args, bytecode: code } as never);
    const { contractAddress } = await mined(stack.client, deployment);
    const sender = { from: contractAddress ?? "0x", account: "policy", signer: signer.address } as const;
    const allow = await intentry.actions.setTargetAllowed({ ...sender, target: AgentRegistry, allowed: true });
    expect((await intentry.send(walletOf(signer), allow)).events).toMatchObject([
      { eventName: "TargetAllowlistUpdated" },
    ]);
    const register = await intentry.actions.registerAgent({ ...sender, metadata_uri: "ipfs://policy" });
    const { events } = await intentry.send(walletOf(signer), register);
    expect(events).toMatchObject([{ eventName: "AgentRegistered", args: { owner: contractAddress?.toLowerCase() } }]);
  });

  it("sends nothing that reverts in the simulation, unless it is forced to", async () => {
    const intent_id = await submitIntent();
    const action = await intentry.actions.cancelIntent({ from: solver.address, intent_id });
    const before = await nonceOf(solver);
    await expect(intentry.send(walletOf(solver), action)).rejects.toMatchObject({
      code: "transaction_failed",
      message: expect.stringMatching(/^The action would revert: .*\. Nothing was sent$/),
    });
    expect(await nonceOf(solver)).toBe(before);
    const forced = intentry.send(walletOf(solver), action, { force: true });
    await expect(forced).rejects.toThrow(/reverted|was not sent/);
  });

  it("prints the plan of an action, with a line for cast that has the same calldata", async () => {
    const intent_id = await submitIntent();
    const deadline = BigInt((await intentry.intents.get({ id: intent_id })).deadline);
    const args = ["do", "bid", String(intent_id), "--out", "955", "--from", solver.address];
    const { code, stdout, stderr } = await cli(args, env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Bid on intent ${intent_id} of ${owner.address.toLowerCase()}`);
    expect(stdout).toContain("succeeds with ");
    const [, sender, to, data] = /cast send --from (\S+) --chain 31337 --value 0 (\S+) (\S+)$/m.exec(stdout) ?? [];
    expect([sender, to]).toEqual([solver.address, stack.contracts.IntentBook.toLowerCase()]);
    const expected = encodeFunctionData({
      abi: intentBookAbi,
      functionName: "submitBid",
      args: [intent_id, 1000n, 955n, 0n, deadline, zeroHash],
    });
    expect(data).toBe(expected);

    const { transactions } = JSON.parse((await cli([...args, "--json"], env)).stdout) as PreparedAction;
    expect(transactions).toMatchObject([{ to, data, value: "0" }]);
    const unsent = await cli([...args, "--signer-url", rpcUrl], env);
    expect(unsent).toMatchObject({ code: 0, stderr: "Nothing was sent. Send it with --yes.\n" });
  });

  it("sends through a signer, and prints what happened", async () => {
    const intent_id = await submitIntent();
    await stack.client.impersonateAccount({ address: solver.address });
    const asked = ["do", "bid", String(intent_id), "955", "--from", solver.address, "--signer-url", rpcUrl];
    const bid = await cli([...asked, "--yes"], env);
    expect(bid.code, bid.stderr).toBe(0);
    expect(bid.stdout).toMatch(/^Transaction 0x[\da-f]{64}$/m);
    const { bids } = await intentry.bids.list({ id: intent_id });
    expect(bids).toMatchObject([{ solver: solver.address.toLowerCase(), amount_out: "955", status: "OPEN" }]);

    const selected = await intentry.actions.selectBid({ from: owner.address, intent_id });
    await intentry.send(walletOf(owner), selected);
    const fill = ["do", "fill", String(intent_id), "--from", solver.address, "--signer-url", rpcUrl];
    const filled = await cli([...fill, "--yes", "--json"], env);
    await stack.client.stopImpersonatingAccount({ address: solver.address });
    const { sent } = JSON.parse(filled.stdout) as { sent: { events: { eventName: string }[] } };
    expect(sent.events.map(({ eventName }) => eventName)).toContain("IntentFilled");
    expect(await intentry.intents.get({ id: intent_id })).toMatchObject({ status: "FILLED" });

    const again = await cli([...fill, "--yes"], env);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/^The action would revert: .* Nothing was sent\n$/);
  });

  it("signs typed data through a signer, and prints lines for cast without one", async () => {
    const token = stack.contracts.TestDollar;
    const { address } = actor(19);
    const tokens = [`input_token=${token}`, `output_token=${token}`];
    const asked = ["do", "submit", "1000", "900", ...tokens, "deadline=30d", "--from", address];
    const printed = await cli(asked, env);
    expect(printed.stdout).toMatch(/^ {2}cast wallet sign --data '\{"domain":/m);
    const [, again = ""] = /^ {2}intentry (do submitIntent from=0x.*) signature=…$/m.exec(printed.stdout) ?? [];
    const wrong = await cli([...again.split(" "), `signature=0x${"1".repeat(128)}1b`]);
    // The service refuses it. The unit tests of the command line have a service that doesn't.
    expect(wrong).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^signature: .*0x\w{40}/) });
    const sent = await cli([...asked, "--signer-url", rpcUrl, "--yes"], env);
    expect(sent.code, sent.stderr).toBe(0);
    expect(sent.stdout).toMatch(/^Signature 0x[\da-f]{130}\nTransaction 0x[\da-f]{64}\nIntent #\d+ submitted by 0x/m);
  });

  it("reports what is wrong in a sentence", async () => {
    const unknown = await cli(["do", "cancel", "999999", "--from", owner.address], env);
    expect(unknown).toMatchObject({ code: 3, stdout: "", stderr: "Intent 999999 not found\n" });
    const args = ["do", "registerAgent", "metadata_uri=ipfs://a", "--from", owner.address, "--yes"];
    const locked = await cli([...args, "--signer-url", rpcUrl], env);
    expect(locked.code).toBe(1);
    expect(locked.stderr).toMatch(/^The transaction was not sent: /);
    const policy = await cli([...args, "--signer-url", rpcUrl, "account=policy"], env);
    expect(policy.code).not.toBe(0);
    const away = await cli(["do", "cancel", "1", "--from", owner.address, "--url", "http://127.0.0.1:2"]);
    expect(away).toMatchObject({ code: 4, stdout: "" });
  });

  it("names the signer that can't be used, and sends nothing", async () => {
    const signer = async (answer: (method: string) => object): Promise<Server & { url: string }> => {
      const server = createServer(async (request, response) => {
        const { id, method } = (await json(request)) as { id: number; method: string };
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer(method) }));
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
    };
    const rejected = { error: { code: 4001, message: "User rejected the request." } };
    const refusing = await signer((method) => (method === "eth_chainId" ? { result: "0x7a69" } : rejected));
    const other = await signer(() => ({ result: "0x1" }));
    const token = stack.contracts.TestDollar;
    const register = ["registerAgent", "metadata_uri=ipfs://a"];
    const submit = ["submit", "1000", "900", `input_token=${token}`, `output_token=${token}`];
    const away = "http://127.0.0.1:2/";
    for (const [words, url, code, problem] of [
      [register, refusing.url, 1, "The transaction was not sent: User rejected the request"],
      [submit, refusing.url, 1, "The wallet did not sign: User rejected the request"],
      [register, other.url, 1, "The signer is on chain 1, and the service on 31337. Nothing was sent"],
      [register, away, 4, `No valid response of a signer from ${away}: HTTP request failed. Nothing was sent`],
      [register, env.INTENTRY_URL, 4, /^No valid response of a signer from http:.* Nothing was sent$/],
    ] as const) {
      const asked = await cli(["do", ...words, "--from", owner.address, "--signer-url", url, "--yes"], env);
      expect(asked.stderr.trim()).toMatch(problem);
      expect(asked.code).toBe(code);
    }
    for (const server of [refusing, other]) server.close();
  });

  it.skipIf(!hasTerminals)("asks on a terminal before it sends", async () => {
    const before = await stack.client.getTransactionCount({ address: actor(19).address });
    const line = `do registerAgent metadata_uri=ipfs://asked --from ${actor(19).address} --signer-url ${rpcUrl}`;
    const answered = (answer: string): Promise<string> => {
      const child = spawn("script", ["-qec", `'${process.execPath}' '${cliFile}' ${line}`, "/dev/null"], {
        env: { ...process.env, ...env },
      });
      let output = "";
      child.stdout.on("data", (chunk) => {
        if (!output.includes("[y/N]") && `${output}${chunk}`.includes("[y/N]")) child.stdin.write(`${answer}\n`);
        output += chunk;
      });
      return new Promise((done) => child.once("close", () => done(output)));
    };
    const endOfInput = "\u0004";
    for (const no of ["n", endOfInput]) expect(await answered(no)).toMatch(/Nothing was sent\.\s*$/);
    expect(await stack.client.getTransactionCount({ address: actor(19).address })).toBe(before);
    expect(await answered("y")).toMatch(/^Transaction 0x/m);
    expect(await stack.client.getTransactionCount({ address: actor(19).address })).toBe(before + 1);
  });
});
