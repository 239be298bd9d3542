import type { Chain } from "../../support/agreement/chain";
import { commerceRows } from "../../support/agreement/commerce";
import { intentRows } from "../../support/agreement/intents";
import { policyRows } from "../../support/agreement/policies";
import { registryRows } from "../../support/agreement/registries";

export type ContractRows = Awaited<ReturnType<typeof contractRows>>;

/** The state of the contracts, read with their getters. */
export const contractRows = async (chain: Chain) => ({
  ...(await registryRows(chain)),
  ...(await intentRows(chain)),
  ...(await policyRows(chain)),
  ...(await commerceRows(chain)),
});

export const distinct = (values: readonly string[]) => [...new Set(values)];
