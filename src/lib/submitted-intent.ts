import { getAbiItem } from "viem";
import { intentBookAbi } from "../../abis/index";
import type { SignableIntent } from "../../common/intent";
import { directCall } from "./calldata";

/** The calldata is fourteen words of the intent, then v, r and s. All members are static, so their positions are fixed. */
const LAST_WORD = 16;

/** The intent of a direct call to `submitIntent`. Null for other calls and for calldata that can't be decoded. */
export const submittedIntent = directCall(
  getAbiItem({ abi: intentBookAbi, name: "submitIntent" }),
  (args): SignableIntent => {
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
  },
);
