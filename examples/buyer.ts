import { createIntentryClient, IntentryError } from "intentry";
import { buyer, type Rail, rails } from "intentry/market";
import { isAddress, parseAbi, withRetry } from "viem";
import { args, mined, sentenceOf, url, walletOf } from "./local.js";

// A buyer on the local chain of `npm start`. It buys greetings of examples/merchant.ts on each rail in turn; the rail swap
// needs examples/solver.ts. Arguments: [seconds] [the id of the service, default: the newest that answers]
const [seconds = "60", serviceId] = args;
const wallet = await walletOf(3);
const intentry = createIntentryClient({ url });

// The token that the service itself is paid in. On the local chain it is the test dollar, which anyone can mint.
const [resource] = (await intentry.payments.discovery()).resources;
const token = resource?.accepts[0]?.asset;
if (!token || !isAddress(token)) throw new Error("The service accepts no token");
const abi = parseAbi(["function mint(address to, uint256 amount)"]);
const minted = [wallet.account.address, 1_000_000_000n] as const;
await mined(wallet, wallet.writeContract({ abi, address: token, functionName: "mint", args: minted }));

const { find, buy } = await buyer({
  intentry,
  wallet,
  updatesPolicies: true,
  swapFrom: { token: "0x00000000000000000000000000000000000a11ce", maxAmount: 1_000_000n, seconds: 30 },
});

const noMerchant = new Error("No merchant offers greetings. Start one: npm run example merchant");

/**
 * Buys from the newest merchant that answers. Merchants of earlier runs may have stopped, and the metadata of a new one is
 * resolved in the background.
 */
const purchase = (rail: Rail, name: string) =>
  withRetry(
    async () => {
      const found = (await find("greeting")).filter(({ name, id }) => name === "Greetings" && id === (serviceId ?? id));
      for (const service of found.sort((one, other) => Number(other.id) - Number(one.id)))
        try {
          return await buy({ service, order: { name }, rail, token, maxAmount: 500_000n });
        } catch (error) {
          if (!(error instanceof IntentryError && error.code === "no_response")) throw error;
        }
      throw noMerchant;
    },
    { delay: 300, retryCount: 100, shouldRetry: ({ error }) => error === noMerchant },
  );

const end = Date.now() + Number(seconds) * 1000;
let bought = 0;
let failures = 0;
for (let turn = 0; turn < rails.length || Date.now() < end; turn++) {
  const rail = rails[turn % rails.length] ?? "transfer";
  try {
    const { receipt_id, fulfillment_hash } = await purchase(rail, `buyer number ${turn}`);
    console.log(`Receipt ${receipt_id}: paid by ${rail}, fulfilled with ${fulfillment_hash}`);
    bought += 1;
    failures = 0;
  } catch (error) {
    if (error === noMerchant || ++failures === rails.length) throw error;
    console.log(`No greeting by ${rail}: ${sentenceOf(error)}`);
  }
}
console.log(`Bought ${bought} greetings`);
