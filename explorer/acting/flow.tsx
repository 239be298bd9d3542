import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { PreparedAction } from "../../client/src/api";
import { refuse } from "../../client/src/refusal";
import { TokensContext } from "../components/tokens";
import { shownTexts } from "../shown-texts";
import { Answer, wouldFail } from "./answer";
import {
  chainOf,
  type InjectedWallet,
  injectedWallet,
  requestAccount,
  sendTransaction,
  sentenceOf,
  signTypedData,
  switchChain,
} from "./injected-wallet";
import { inputOf, type Offer, prepareAction, senderOf, unitOf } from "./offer";
import { Question } from "./question";
import { Done, followTransaction, isOver, type Sent } from "./sent";

/** A prepared action, and the account that it is for. */
type Plan = { name: Offer["name"]; account: `0x${string}`; answer: PreparedAction };

/** Aborts when the component is removed. */
function useRemoval(): AbortSignal {
  const removed = useRef(new AbortController());
  useEffect(() => () => removed.current.abort(), []);
  return removed.current.signal;
}

type SendProps = { plan: Plan; isBusy: boolean; sent: readonly Sent[]; onSend: () => void };

/** The button that hands the plan to the wallet. One that would fail needs a confirmation. */
function Send({ plan: { answer }, isBusy, sent, onSend }: SendProps) {
  const [isConfirmed, setConfirmed] = useState(false);
  const { transactions, typed_data, simulation } = answer;
  const last = sent.at(-1);
  const isDone = typed_data ? false : sent.length >= transactions.length;
  if (isDone || (last && !isOver(last))) return null;
  const isRisky = sent.length === 0 && wouldFail(simulation);
  const which = transactions.length > 1 ? ` ${sent.length + 1} of ${transactions.length}` : "";
  return (
    <>
      {isRisky && (
        <label class="confirm">
          <input
            type="checkbox"
            name="confirm"
            checked={isConfirmed}
            onInput={({ currentTarget }) => setConfirmed(currentTarget.checked)}
          />{" "}
          Send it although it would fail
        </label>
      )}
      <div>
        <button
          type="button"
          class="primary"
          data-send
          disabled={isBusy || (isRisky && !isConfirmed)}
          onClick={() => onSend()}
        >
          {typed_data ? "Sign with wallet" : `Send${which} with wallet`}
        </button>
      </div>
    </>
  );
}

/** Asks what an action needs, shows what it would do, and has a wallet sign and send exactly that. */
export function Flow({ offer }: { offer: Offer }) {
  const tokens = useContext(TokensContext);
  const findToken = (address: string) => tokens.get(address);
  const removal = useRemoval();
  const [plan, setPlan] = useState<Plan>();
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const [signature, setSignature] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [progress, setProgress] = useState("");
  const [problem, setProblem] = useState<string>();
  const [missingChain, setMissingChain] = useState<number>();

  const show = (next: Plan | undefined) => {
    setPlan(next);
    setSent([]);
    setSignature(undefined);
    setMissingChain(undefined);
  };
  /** Runs a step that uses the wallet or the service, and shows why it failed. */
  const attempt = async (text: string, step: (wallet: InjectedWallet) => Promise<void>) => {
    const wallet = injectedWallet();
    setProblem(undefined);
    if (!wallet) return setProblem("This browser has no wallet. Install one that supports EIP-1193.");
    setBusy(true);
    setProgress(text);
    try {
      await step(wallet);
    } catch (error) {
      setProblem(sentenceOf(error));
    } finally {
      setBusy(false);
      setProgress("");
    }
  };
  const prepare = (form: HTMLFormElement) =>
    attempt("Confirm in the wallet which account acts.", async (wallet) => {
      const texts = Object.fromEntries([...new FormData(form)].map(([name, text]) => [name, String(text)]));
      const input = inputOf(offer, texts, findToken);
      const account = await requestAccount(wallet);
      const answer = await prepareAction(offer.name, { ...senderOf(offer, account), ...input });
      show({ name: offer.name, account, answer });
    });
  /** Whether the wallet is on a chain. If not, the person can switch. */
  const isOn = async (wallet: InjectedWallet, chainId: number) => {
    const current = await chainOf(wallet);
    setMissingChain(current === chainId ? undefined : chainId);
    if (current !== chainId) setProblem(`The wallet is on chain ${current}. This is for chain ${chainId}.`);
    return current === chainId;
  };
  const send = ({ name, account, answer }: Plan) =>
    attempt("Confirm in the wallet.", async (wallet) => {
      const { typed_data, transactions, next } = answer;
      if (typed_data) {
        if (!(await isOn(wallet, Number(typed_data.domain.chainId)))) return;
        const { problemOfMessage, problemOfSubmission } = await import("../../client/src/signed-intent");
        refuse(problemOfMessage(typed_data, account));
        const signed = await signTypedData(wallet, account, typed_data);
        // The signature of an intent belongs into a second call of the same action, and others go to someone else.
        if (typed_data.primaryType !== "Intent" || !next?.input) return setSignature(signed);
        const submission = await prepareAction(name, { ...next.input, signature: signed });
        refuse(problemOfSubmission(answer, signed, submission));
        show({ name, account, answer: submission });
        return;
      }
      const transaction = transactions[sent.length];
      if (!transaction || !(await isOn(wallet, transaction.chainId))) return;
      const hash = await sendTransaction(wallet, account, transaction);
      setSent((before) => [...before, { hash, state: "sent" }]);
      const setState = (state: Sent["state"]) =>
        setSent((before) => before.map((one) => (one.hash === hash ? { hash, state } : one)));
      void followTransaction(wallet, hash, removal, setState).catch((error) => setProblem(sentenceOf(error)));
    });
  const switchTo = (chainId: number) =>
    attempt("Confirm the chain in the wallet.", async (wallet) => {
      await switchChain(wallet, chainId);
      await isOn(wallet, chainId);
    });

  const isComplete =
    plan !== undefined &&
    (signature !== undefined || (sent.length > 0 && sent.length === plan.answer.transactions.length));
  return (
    <div class="flow">
      <form
        class="form"
        onInput={() => {
          // What is shown and sent always belongs to what was typed.
          if (plan && sent.length === 0) show(undefined);
        }}
        onSubmit={(event) => {
          event.preventDefault();
          void prepare(event.currentTarget);
        }}
      >
        {offer.fields.map((field) => (
          <Question
            key={field.name}
            field={field}
            unit={field.kind === "amount" ? unitOf(findToken(field.token)) : undefined}
          />
        ))}
        <div>
          <button
            type="submit"
            class={plan ? undefined : "primary"}
            disabled={isBusy || (sent.length > 0 && !isComplete)}
          >
            {plan ? "Prepare again" : "Prepare"}
          </button>
        </div>
      </form>
      {plan && (
        <div class="answer">
          <Answer answer={shownTexts(plan.answer, Number.POSITIVE_INFINITY)} />
          <p class="note">
            Acts as{" "}
            <span class="hex full">
              <code>{plan.account}</code>
            </span>
          </p>
          {signature === undefined && (
            <Send key={plan.answer.summary} plan={plan} isBusy={isBusy} sent={sent} onSend={() => void send(plan)} />
          )}
          <Done
            sent={sent}
            signature={signature}
            next={isComplete ? (shownTexts(plan.answer.next)?.description ?? null) : null}
          />
        </div>
      )}
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {shownTexts(problem)}
        </p>
      )}
      {missingChain !== undefined && (
        <div>
          <button type="button" disabled={isBusy} onClick={() => void switchTo(missingChain)}>
            Switch the wallet to chain {missingChain}
          </button>
        </div>
      )}
      <p role="status" class="note">
        {progress}
      </p>
    </div>
  );
}
