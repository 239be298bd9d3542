import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { createIntentryClient, formatAmount, generatePayloadKey, IntentryError } from "intentry";
import { merchant, type RunningMerchant } from "intentry/market";
import { isAddress, keccak256, toHex, withRetry } from "viem";
import { args, sentenceOf, stopSignal, url, walletOf } from "./local.js";

// A merchant on the local chain of `npm start` that sells greetings for half a test dollar. It runs until Ctrl-C.
// Arguments: [port, default: a free one]
const signal = stopSignal();
const [port = "0"] = args;
const [wallet, facilitator] = [await walletOf(0), await walletOf(1)];
const intentry = createIntentryClient({ url });

// Messages that arrive early wait until the merchant has started.
let start: (running: RunningMerchant) => void = () => {};
const started = new Promise<RunningMerchant>((done) => {
  start = done;
});
const server = createServer(async (request, response) => {
  const answer = (status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  try {
    const { handle } = await started;
    answer(200, await handle(await json(request)));
  } catch (error) {
    // A buyer sends a message again after a 500, but not after a 400.
    const isRejected =
      error instanceof SyntaxError ||
      (error instanceof IntentryError && ["invalid_quote", "invalid_envelope"].includes(error.code));
    if (!isRejected) console.error(`A message failed: ${sentenceOf(error)}`);
    answer(isRejected ? 400 : 500, { error: isRejected ? error.message : "Internal error" });
  }
}).listen(Number(port), "127.0.0.1");
await once(server, "listening");
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

// Register the merchant, its service and its facilitator. Buyers find the service by its metadata, which has our URL.
// A merchant that ran before keeps its ids.
const metadata = { name: "Greetings", description: "Greets anyone in French.", tags: ["greeting"], url: endpoint };
const from = wallet.account.address;
const { actions } = intentry;
async function ownMerchant(): Promise<string> {
  const [known] = (await intentry.merchants.list({ owner: from, limit: 1 })).merchants;
  if (known) return known.merchant_id;
  await intentry.send(wallet, await actions.registerMerchant({ from, metadata }));
  return ownMerchant();
}
async function ownService(merchant_id: string): Promise<string> {
  const [known] = (await intentry.services.list({ merchant_id, limit: 1 })).services;
  const service = { from, metadata, capability: "greeting" };
  const action = known
    ? await actions.updateService({ ...service, service_numeric_id: known.service_numeric_id, active: true })
    : await actions.registerService({ ...service, merchant_id, service_id: "greeting" });
  await intentry.send(wallet, action);
  return known?.service_numeric_id ?? ownService(merchant_id);
}
const merchantId = await ownMerchant();
const serviceId = await ownService(merchantId);
const settler = { from: facilitator.account.address, metadata };
await intentry.send(facilitator, await actions.registerFacilitator(settler));

// The token that the service itself is paid in. On the local chain it is the test dollar.
const [resource] = (await intentry.payments.discovery()).resources;
const token = resource?.accepts[0]?.asset;
if (!token || !isAddress(token)) throw new Error("The service accepts no token");

// Buyers can find the service once its metadata is resolved.
await withRetry(
  async () => {
    const { metadata: found } = await intentry.services.get({ id: serviceId, include: "metadata" });
    if (found?.content?.url !== endpoint) throw new Error(`The metadata of service ${serviceId} is not resolved`);
  },
  { delay: 200, retryCount: 150 },
);

const running = await merchant({
  ...{ intentry, wallet, facilitator, token, url: endpoint },
  merchantId: BigInt(merchantId),
  services: [{ serviceNumericId: BigInt(serviceId), description: metadata.description }],
  // Store the key of a real merchant: without it, orders from before a restart can't be read.
  key: { ...(await generatePayloadKey()), id: "key-1" },
  price: () => 500_000n,
  async deliver({ payload }) {
    const { name } = payload as { name?: unknown };
    return { greeting_hash: keccak256(toHex(`Bonjour, ${String(name)} !`)) };
  },
  report(activity) {
    const { type } = activity;
    if (type === "quoted") console.log(`Quoted $${formatAmount(activity.amount, 6)} by ${activity.rail}`);
    if (type === "paid") console.log(`Receipt ${activity.receiptId}: paid by ${activity.rail}`);
    if (type === "fulfilled") console.log(`Receipt ${activity.receiptId}: delivered`);
  },
});

start(running);
console.log(`Merchant ${merchantId} offers service ${serviceId} at ${endpoint}`);

if (!signal.aborted) await once(signal, "abort");
server.close();
server.closeIdleConnections();
// Buyers no longer find the service.
await intentry.send(wallet, await actions.updateService({ from, service_numeric_id: serviceId, active: false }));
