import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { createIntentryClient, generatePayloadKey, IntentryError } from "intentry";
import { commerceRegistryAbi } from "intentry/abis";
import { merchant } from "intentry/market";
import {
  createWalletClient,
  type Hex,
  http,
  isAddress,
  keccak256,
  parseEventLogs,
  publicActions,
  toHex,
  withRetry,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { foundry } from "viem/chains";

// A merchant on the local chain of `npm start` that sells greetings for half a test dollar. It runs until Ctrl-C.
// Usage: node merchant.js [gateway URL] [RPC URL] [port]. The keys are anvil's public test keys.
const [, , url = "http://localhost:3001", rpcUrl = "http://localhost:8545", port = "3400"] = process.argv;
const walletOf = (addressIndex: number) => {
  const account = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex });
  return createWalletClient({ account, chain: foundry, transport: http(rpcUrl) }).extend(publicActions);
};
const [wallet, facilitator] = [walletOf(10), walletOf(11)];
const intentry = createIntentryClient({ url });
const { contracts } = await intentry.protocol();
const registry = { abi: commerceRegistryAbi, address: contracts.CommerceRegistry } as const;
const logsOf = async (sent: Promise<Hex>) => {
  const hash = await sent;
  const receipt = await withRetry(() => wallet.getTransactionReceipt({ hash }), { delay: 100, retryCount: 300 });
  return receipt.logs;
};

// Register the merchant, its service and its facilitator. Buyers find the service by its metadata, which has our URL.
const endpoint = `http://127.0.0.1:${port}`;
const about = { name: "Greetings", description: "Greets anyone in French.", tags: ["greeting"], url: endpoint };
const metadata = await intentry.publishCatalog(JSON.stringify(about));
const reference = [metadata.uri, metadata.catalog_hash] as const;
const merchantArgs = [wallet.account.address, ...reference] as const;
const merchantLogs = await logsOf(
  wallet.writeContract({ ...registry, functionName: "registerMerchant", args: merchantArgs }),
);
const [registered] = parseEventLogs({ abi: commerceRegistryAbi, eventName: "MerchantRegistered", logs: merchantLogs });
const merchantId = registered?.args.merchantId ?? 0n;
const serviceArgs = [merchantId, "greeting", ...reference, keccak256(toHex("greeting"))] as const;
const serviceLogs = await logsOf(
  wallet.writeContract({ ...registry, functionName: "registerService", args: serviceArgs }),
);
const [added] = parseEventLogs({ abi: commerceRegistryAbi, eventName: "ServiceRegistered", logs: serviceLogs });
const serviceNumericId = added?.args.serviceNumericId ?? 0n;
const own = [facilitator.account.address, ...reference] as const;
await logsOf(facilitator.writeContract({ ...registry, functionName: "registerFacilitator", args: own }));

// The token that the service itself is paid in. On the local chain it is the test dollar.
const [resource] = (await intentry.payments.discovery.query()).resources;
const token = resource?.accepts[0]?.asset;
if (!token || !isAddress(token)) throw new Error("The service accepts no token");

const { handle } = await merchant({
  ...{ intentry, wallet, facilitator, merchantId, token, url: endpoint },
  services: [{ serviceNumericId, description: about.description }],
  key: { ...(await generatePayloadKey()), id: "key-1" },
  price: () => 500_000n,
  async deliver({ payload }) {
    const { name } = payload as { name?: unknown };
    return { greeting_hash: keccak256(toHex(`Bonjour, ${String(name)} !`)) };
  },
  report: (activity) =>
    console.log(JSON.stringify(activity, (_, value) => (typeof value === "bigint" ? String(value) : value))),
});

const server = createServer(async (request, response) => {
  const answer = (status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  try {
    answer(200, await handle(await json(request)));
  } catch (error) {
    // A buyer sends a message again after a 500, but not after a 400.
    const isRejected =
      error instanceof SyntaxError ||
      (error instanceof IntentryError && ["invalid_quote", "invalid_envelope"].includes(error.code));
    if (!isRejected) console.error("A message failed:", error);
    answer(isRejected ? 400 : 500, { error: isRejected ? error.message : "Internal error" });
  }
}).listen(Number(port), "127.0.0.1", () => console.log(`Merchant ${merchantId} listens at ${endpoint}`));
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => server.close());
