import type { Chain } from "../agreement/chain";
import { commerceRows } from "../agreement/commerce";
import { intentRows } from "../agreement/intents";
import { policyRows } from "../agreement/policies";
import { registryRows } from "../agreement/registries";

export type ContractRows = Awaited<ReturnType<typeof contractRows>>;

/** The state of the contracts, read with their getters. */
export const contractRows = async (chain: Chain) => ({
  ...(await registryRows(chain)),
  ...(await intentRows(chain)),
  ...(await policyRows(chain)),
  ...(await commerceRows(chain)),
});

export const distinct = (values: readonly string[]) => [...new Set(values)];
