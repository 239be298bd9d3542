import { createIntentryClient } from "intentry";
import { buyer, type Rail, rails } from "intentry/market";
import { createWalletClient, http, isAddress, parseAbi, publicActions, withRetry } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { foundry } from "viem/chains";

// A buyer on the local chain of `npm start`. It buys greetings of examples/merchant.ts on each rail in turn; the rail swap
// needs examples/solver.ts. Usage: node buyer.js [gateway URL] [RPC URL] [seconds]. The key is anvil's public test key 13.
const [, , url = "http://localhost:3001", rpcUrl = "http://localhost:8545", seconds = "60"] = process.argv;
const account = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 13 });
const wallet = createWalletClient({ account, chain: foundry, transport: http(rpcUrl) }).extend(publicActions);
const intentry = createIntentryClient({ url });

// The token that the service itself is paid in. On the local chain it is the test dollar, which anyone can mint.
const [resource] = (await intentry.payments.discovery.query()).resources;
const token = resource?.accepts[0]?.asset;
if (!token || !isAddress(token)) throw new Error("The service accepts no token");
const abi = parseAbi(["function mint(address to, uint256 amount)"]);
const args = [account.address, 1_000_000_000n] as const;
const hash = await wallet.writeContract({ abi, address: token, functionName: "mint", args });
await withRetry(() => wallet.getTransactionReceipt({ hash }), { delay: 100, retryCount: 300 });

const { find, buy } = await buyer({
  intentry,
  wallet,
  updatesPolicies: true,
  swapFrom: { token: "0x00000000000000000000000000000000000a11ce", maxAmount: 1_000_000n },
});
// The service resolves metadata in the background.
const service = await withRetry(
  async () => {
    const found = (await find("greeting")).find(({ name }) => name === "Greetings");
    if (!found) throw new Error("No service offers greetings. Is examples/merchant.ts running?");
    return found;
  },
  { delay: 200, retryCount: 150 },
);

const end = Date.now() + Number(seconds) * 1000;
const bought: { rail: Rail; receipt_id: string; quote_hash: string; fulfillment_hash: string | null }[] = [];
for (let turn = 0; turn < rails.length || Date.now() < end; turn++) {
  const rail = rails[turn % rails.length] ?? "transfer";
  const order = { name: `buyer number ${turn}` };
  const { receipt_id, quote_hash, fulfillment_hash } = await buy({ service, order, rail, token, maxAmount: 500_000n });
  bought.push({ rail, receipt_id, quote_hash, fulfillment_hash });
  console.log(`Receipt ${receipt_id}: paid by ${rail}, fulfilled with ${fulfillment_hash}`);
}
console.log(JSON.stringify(bought));
