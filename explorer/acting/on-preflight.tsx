import { useContext } from "preact/hooks";
import type { PolicyUpdate, Preflight } from "../../client/src/api";
import { Act } from "../components/act";
import { TokensContext } from "../components/tokens";
import { shortHex } from "../text/format";
import { NATIVE_COIN } from "../tokens";
import type { Offer } from "./offer";

/** The action whose transaction is that of an update, with the words of its button. */
function actionOf(update: PolicyUpdate, nameOf: (token: string) => string): Pick<Offer, "name" | "label" | "input"> {
  const { policy_type, selector, target = "", token = NATIVE_COIN, merchant = "", facilitator } = update;
  const value = update.suggested_value;
  if (typeof value === "object") {
    const label = `Allow payments of ${nameOf(token)} to ${shortHex(merchant)}`;
    return { name: "setPaymentPolicy", label, input: { merchant, token, facilitator, ...value } };
  }
  if (policy_type === "SPEND_LIMIT")
    return {
      name: "setSpendLimit",
      label: `Raise the limit of ${nameOf(token)}`,
      input: { token, max_per_day: value },
    };
  if (policy_type === "ACCOUNT_FROZEN")
    return { name: "setAccountFrozen", label: "Unfreeze", input: { frozen: value } };
  if (selector === undefined)
    return { name: "setTargetAllowed", label: `Allow calls of ${shortHex(target)}`, input: { target, allowed: value } };
  const label = `Allow ${selector} of ${shortHex(target)}`;
  return { name: "setFunctionAllowed", label, input: { target, selector, allowed: value } };
}

/** The changes of policies that a preflight asks for. */
export function ActOnPreflight({ result: { account, required_policy_updates } }: { result: Preflight }) {
  const tokens = useContext(TokensContext);
  const nameOf = (address: string) => {
    const token = tokens.get(address);
    // Anyone can give a token any symbol.
    if (token?.source === "list" && token.symbol !== null) return token.symbol;
    return address === NATIVE_COIN ? "native coin" : shortHex(address);
  };
  const offers = required_policy_updates.map((update): Offer => {
    const note = `The account ${account} itself sends it or, if it is a policy account, its signer.`;
    return { ...actionOf(update, nameOf), account, note, fields: [] };
  });
  const asGuardian: Offer = {
    name: "setAccountFrozen",
    label: "Unfreeze as its guardian",
    note: `The guardian of ${account} sends it.`,
    input: { policy_account: account, frozen: false },
    fields: [],
  };
  const isFrozen = offers.some(({ name }) => name === asGuardian.name);
  return <Act offers={[...offers, ...(isFrozen ? [asGuardian] : [])]} />;
}
