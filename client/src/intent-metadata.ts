import type { Address, Hex } from "viem";
import { intentMetadataTypedData, type MetadataContent } from "../../common/intent-metadata";
import { type Signer, signTypedData } from "./intents";

/** Signs the metadata of an intent as its owner. */
export const signMetadata = (
  signer: Signer,
  { intentBook, ...intent }: { chainId: number; intentHash: Hex; intentBook: Address },
  content: MetadataContent,
): Promise<Hex> => signTypedData(signer, intentMetadataTypedData(intent, intentBook, content));
