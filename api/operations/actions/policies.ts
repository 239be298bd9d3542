import { type Address, zeroAddress } from "viem";
import { amountTerm, functionTerm, tokenTerm } from "../../actions/terms";
import { address, flag } from "../../core/inputs";
import { actionsOf } from "./action";
import type { Scope } from "./scope";

// The spending policies of an account. The account is always the sender.

const account = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const merchant = "0x976ea74026e726554db657fa54763abd0c3a0aa9";

const policy = actionsOf("PolicyModule");

const withFacilitator = {
  facilitator: address
    .optional()
    .openapi({ description: "Who settles the signed payment. Default: nobody, the zero address." }),
};

const limitTerm = (what: string) =>
  amountTerm.openapi({ description: `${what} 0 means no limit.`, example: "100 tUSD" });

const tokenOfLimit = tokenTerm.optional().openapi({
  description: "The address, or the symbol of a listed token. Default: the token that the amount names.",
});

/** The token of a limit: as given, or the one that the amount names. The symbol of the native coin means the zero address. */
const tokenFor = (
  scope: Scope,
  token: Parameters<Scope["token"]>[1] | undefined,
  amount: Parameters<Scope["amount"]>[1],
) => (token ? scope.token("token", token) : scope.tokenOf("token", amount));

/** A limit as the contract reads it: 0 is none. */
async function limit(scope: Scope, amount: bigint, token: Address): Promise<string> {
  if (amount > 0n) {
    scope.checkUnlimited(amount, "The limit");
    return `at most ${await scope.money(amount, token)}`;
  }
  scope.warn("unlimited", "A limit of 0 means that there is no limit.");
  return `any amount of ${await scope.tokenName(token)}`;
}

const through = (facilitator: Address) =>
  facilitator === zeroAddress ? " without a facilitator" : ` through ${facilitator}`;

export const policyActions = {
  setSpendLimit: policy("setSpendLimit", {
    title: "Prepares the daily spend limit of a token.",
    fields: { token: tokenOfLimit, max_per_day: limitTerm("What the account may spend in 24 hours.") },
    example: { from: account, token: "tUSD", max_per_day: "100 tUSD" },
    async plan({ token: sent, max_per_day }, scope) {
      const token = tokenFor(scope, sent, max_per_day);
      const maxPerDay = await scope.amount("max_per_day", max_per_day, token);
      return {
        summary: `Let ${scope.from} spend ${await limit(scope, maxPerDay, token)} a day.`,
        args: { token, maxPerDay },
      };
    },
  }),

  setTargetAllowed: policy("setTargetAllowed", {
    title: "Prepares whether an account may call a contract.",
    example: { from: account, target: merchant, allowed: true },
    plan: async ({ target, allowed }, scope) => ({
      summary: `${allowed ? "Allow" : "Forbid"} ${scope.from} to call ${target}.`,
    }),
  }),

  setFunctionAllowed: policy("setFunctionAllowed", {
    title: "Prepares whether an account may call a function.",
    fields: { selector: functionTerm },
    example: { from: account, target: merchant, selector: "transfer(address,uint256)", allowed: true },
    plan: async ({ target, selector, allowed }, scope) => ({
      summary: `${allowed ? "Allow" : "Forbid"} ${scope.from} to call the function ${selector} of ${target}.`,
    }),
  }),

  setUseFunctionAllowlist: policy("setUseFunctionAllowlist", {
    title: "Prepares whether only allowed functions may be called.",
    example: { from: account, enabled: true },
    plan: async ({ enabled }, scope) => ({
      summary: enabled
        ? `Let ${scope.from} call only functions that are allowed one by one.`
        : `Let ${scope.from} call every function of the contracts that it may call.`,
    }),
  }),

  setGuardian: policy("setGuardian", {
    title: "Prepares the guardian of an account.",
    description: "The guardian may freeze and unfreeze it.",
    example: { from: account, guardian: merchant },
    plan: async ({ guardian }, scope) => ({
      summary:
        guardian === zeroAddress
          ? `Remove the guardian of ${scope.from}.`
          : `Make ${guardian} the guardian of ${scope.from}, who may freeze it and unfreeze it.`,
    }),
  }),

  setAccountFrozen: policy("setAccountFrozen", {
    title: "Prepares to freeze or unfreeze an account.",
    description: "By the account itself or its guardian.",
    fields: {
      policy_account: address.optional().openapi({ description: "The account to freeze. Default: from." }),
      frozen: flag,
    },
    hidden: ["account"],
    example: { from: account, frozen: true },
    async plan({ policy_account, frozen }, scope) {
      const frozenAccount = policy_account ?? scope.from;
      return {
        summary: frozen
          ? `Freeze the account ${frozenAccount}: its policies then deny everything.`
          : `Unfreeze the account ${frozenAccount}.`,
        args: { account: frozenAccount },
      };
    },
  }),

  setPaymentPolicy: policy("setPaymentPolicy", {
    title: "Prepares the policy for signed payments to a merchant.",
    fields: {
      merchant: address.openapi({ description: "The address that is paid." }),
      token: tokenOfLimit,
      ...withFacilitator,
      max_per_payment: limitTerm("The most of one payment."),
      max_per_day: limitTerm("The most in 24 hours."),
      allowed: flag.optional().openapi({ description: "Default: true." }),
    },
    example: { from: account, merchant, token: "tUSD", max_per_payment: "5 tUSD", max_per_day: "20 tUSD" },
    async plan(input, scope) {
      const { merchant, facilitator = zeroAddress, allowed = true } = input;
      const token = tokenFor(scope, input.token, input.max_per_payment);
      const maxPerPayment = await scope.amount("max_per_payment", input.max_per_payment, token);
      const maxPerDay = await scope.amount("max_per_day", input.max_per_day, token);
      const limits = `${await limit(scope, maxPerPayment, token)} at a time and ${await limit(scope, maxPerDay, token)} a day`;
      const summary = allowed
        ? `Let ${scope.from} pay ${merchant}${through(facilitator)} ${limits}.`
        : `Forbid ${scope.from} to pay ${merchant}${through(facilitator)}. The limits are kept: ${limits}.`;
      return { summary, args: { token, facilitator, maxPerPayment, maxPerDay, allowed } };
    },
  }),

  recordSpend: policy("recordSpend", {
    title: "Prepares the record of a spend.",
    description: "For account software. It pays nothing: it counts an amount against the daily limit of the sender.",
    fields: { token: tokenOfLimit, amount: amountTerm },
    example: { from: account, amount: "1 tUSD" },
    async plan({ token: sent, amount: term }, scope) {
      const token = tokenFor(scope, sent, term);
      const amount = await scope.amount("amount", term, token);
      return {
        summary: `Count ${await scope.money(amount, token)} against the daily limit of ${scope.from}. Nothing is paid.`,
        args: { token, amount },
      };
    },
  }),

  recordSignedPayment: policy("recordSignedPayment", {
    title: "Prepares the record of a signed payment.",
    description: "For account software. It pays nothing: it counts a signed payment against its policy, once.",
    fields: {
      merchant: address.openapi({ description: "The address that is paid." }),
      token: tokenOfLimit,
      ...withFacilitator,
      amount: amountTerm,
    },
    example: { from: account, merchant, amount: "1 tUSD", payment_hash: `0x${"1f".repeat(32)}` },
    async plan(input, scope) {
      const { merchant, facilitator = zeroAddress, payment_hash } = input;
      const token = tokenFor(scope, input.token, input.amount);
      const amount = await scope.amount("amount", input.amount, token);
      return {
        summary: `Count the signed payment ${payment_hash} of ${await scope.money(amount, token)} to ${merchant}${through(facilitator)} against the policy of ${scope.from}. Nothing is paid.`,
        args: { token, facilitator, amount },
      };
    },
  }),
};
