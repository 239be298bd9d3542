import { decodePaymentResponseHeader } from "@x402/fetch";
import { formatUnits } from "viem";
import { testDollarAbi } from "../../abis/index";
import { parseEnvironment } from "../../config/environment";
import { readLocalDeployment } from "../../config/networks";
import { connect } from "../local/chain";
import { payingFetch, spendControlsFor } from "../local/paying-fetch";
import { demoPayer as payer } from "../local/sample/people";

// Buys a portfolio snapshot of the demo payer's wallet from the stack of `npm start`, and prints the cost.
const { rpcUrl, apiUrl, contracts } = readLocalDeployment(parseEnvironment(process.env).stateFolder);
const dollar = contracts.TestDollar;
if (!dollar) throw new Error("The local chain has no test dollar. Restart it with `npm start`.");

const client = connect(rpcUrl);
const balance = async () =>
  formatUnits(
    await client.readContract({
      abi: testDollarAbi,
      address: dollar,
      functionName: "balanceOf",
      args: [payer.address],
    }),
    6,
  );

console.log(`@x402/fetch allows the test dollar with spendControls: ${JSON.stringify(spendControlsFor(dollar))}`);
console.log(`The payer ${payer.address} has ${await balance()} test dollars.`);
const response = await payingFetch(payer, dollar)(`${apiUrl}/portfolio?address=${payer.address}&chains=local`);
if (response.status !== 200) {
  console.error(`${response.status} ${await response.text()}`);
  process.exit(1);
}
const { transaction } = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
const { summary } = (await response.json()) as { summary: { totalValueUsd: string | null } };
console.log(`Transaction ${transaction} paid for a portfolio worth $${summary.totalValueUsd ?? "?"}.`);
console.log(`The payer has ${await balance()} test dollars left.`);
