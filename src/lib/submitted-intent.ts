import { getAbiItem } from "viem";
import { intentBookAbi } from "../../abis/index";
import { directCall } from "./calldata";
import type { Intent } from "./intent-hash";

/** After the intent's fourteen words come v, r and s: every member is static, so each has its place. */
const LAST_WORD = 16;

/** The intent with which a transaction itself called `submitIntent`, or null when it did not or is not to be read. */
export const submittedIntent = directCall(getAbiItem({ abi: intentBookAbi, name: "submitIntent" }), (args): Intent => {
  args.bytes32(LAST_WORD);
  return {
    owner: args.address(0),
    intentType: args.uint(1, 8),
    constraints: {
      amountInMax: args.uint256(2),
      amountOutMin: args.uint256(3),
      deadline: args.uint256(4),
      slippageBps: args.uint(5, 16),
    },
    execution: {
      target: args.address(6),
      dataHash: args.bytes32(7),
      requiredAttestationSubject: args.bytes32(8),
      requiredAttestationSchema: args.bytes32(9),
      metadataURIHash: args.bytes32(10),
    },
    inputToken: args.address(11),
    outputToken: args.address(12),
    nonce: args.uint256(13),
  };
});
