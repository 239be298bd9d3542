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
async function registerMerchant(): Promise<bigint> {
  const args = [wallet.account.address, ...reference] as const;
  const logs = await logsOf(wallet.writeContract({ ...registry, functionName: "registerMerchant", args }));
  const [registered] = parseEventLogs({ abi: commerceRegistryAbi, eventName: "MerchantRegistered", logs });
  return registered?.args.merchantId ?? 0n;
}
async function registerService(): Promise<bigint> {
  const args = [merchantId, "greeting", ...reference, capability] as const;
  const logs = await logsOf(wallet.writeContract({ ...registry, functionName: "registerService", args }));
  const [registered] = parseEventLogs({ abi: commerceRegistryAbi, eventName: "ServiceRegistered", logs });
  return registered?.args.serviceNumericId ?? 0n;
}
async function updateService(serviceNumericId: bigint): Promise<bigint> {
  const args = [serviceNumericId, ...reference, capability, true] as const;
  await logsOf(wallet.writeContract({ ...registry, functionName: "updateService", args }));
  return serviceNumericId;
}
// A merchant that ran before keeps its ids.
const capability = keccak256(toHex("greeting"));
const [known] = (await intentry.merchants.list.query({ owner: wallet.account.address, limit: 1 })).merchants;
const merchantId = known ? BigInt(known.merchant_id) : await registerMerchant();
const [offered] = (await intentry.services.list.query({ merchant_id: merchantId, limit: 1 })).services;
const serviceNumericId = offered ? await updateService(BigInt(offered.service_numeric_id)) : await registerService();
const own = [facilitator.account.address, ...reference] as const;
await logsOf(facilitator.writeContract({ ...registry, functionName: "registerFacilitator", args: own }));

// The token that the service itself is paid in. On the local chain it is the test dollar.
const [resource] = (await intentry.payments.discovery.query()).resources;
const token = resource?.accepts[0]?.asset;
if (!token || !isAddress(token)) throw new Error("The service accepts no token");

// Buyers can find the service once its metadata is resolved.
await withRetry(
  async () => {
    const { metadata: found } = await intentry.services.get.query({ id: serviceNumericId, include: "metadata" });
    if (found?.content?.url !== endpoint)
      throw new Error(`The metadata of service ${serviceNumericId} is not resolved`);
  },
  { delay: 200, retryCount: 150 },
);

const { handle } = await merchant({
  ...{ intentry, wallet, facilitator, merchantId, token, url: endpoint },
  services: [{ serviceNumericId, description: about.description }],
  // Store the key of a real merchant: without it, orders from before a restart can't be read.
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
