import { creditRules } from "../../common/rows/credit";

/** From the best to the worst. */
export const levels = ["info", "review", "avoid"] as const;
export const verdicts = ["proceed", "review", "avoid"] as const;
export const checks = ["status", "age", "payments", "disputes", "attestations", "name", "token", "amount"] as const;

type Level = (typeof levels)[number];

/** The constants of the rules. */
const rules = {
  /** Younger records need a review. */
  minAgeDays: 7,
  /** Records with less credit need a review. One counterparty gives at most 30 in one token. */
  minCredit: 60,
  /** Open and lost disputes per hundred settlements with full credit, above which a record needs a review. */
  reviewDisputesPercent: 5,
  /** Lost disputes per hundred, above which a record is to be avoided, if there are at least `avoidDisputes`. */
  avoidDisputesPercent: 20,
  avoidDisputes: 2,
  /** How many times the usual amount needs a review. */
  maxTimesUsual: 10n,
} as const;

/** Dollars in millionths. */
type Micros = bigint;

/** What is known about a record, and about a payment to or from it. Numbers are whole and at least 0. */
export type Facts = {
  /** Such as "merchant 1". */
  title: string;
  /** How a record of this kind is called when it is not active. */
  inactive: "inactive" | "revoked";
  isActive: boolean;
  ageDays: number;
  credit: number;
  counterparties: number;
  /** Undefined for kinds without disputes. */
  disputes?: { open: number; lost: number };
  attestors: number;
  name: string | null;
  lookAlikes: number;
  /** The token of the payment. */
  token?: { isListed: boolean };
  /** The payment's value and the average of the record's newest ones. Null if unknown. */
  amount?: { dollars: Micros | null; usual: Micros | null };
};

/** The outcome of one check. */
type Reason = { code: (typeof checks)[number]; level: Level; message: string };

function disputesReason({ open, lost }: { open: number; lost: number }, credit: number): Omit<Reason, "code"> {
  const { avoidDisputes, avoidDisputesPercent, reviewDisputesPercent } = rules;
  /** Whether disputes are more than a percentage of the settlements that the credit stands for. */
  const exceeds = (disputes: number, percent: number) => disputes * 100 * creditRules.settlement > credit * percent;
  const settlements = `of the settlements that a credit of ${credit} stands for`;
  const sentence = `${plural(open, "open dispute")}, ${lost} lost`;
  if (lost >= avoidDisputes && exceeds(lost, avoidDisputesPercent))
    return { level: "avoid", message: `${sentence}: lost are more than ${avoidDisputesPercent} % ${settlements}.` };
  return exceeds(open + lost, reviewDisputesPercent)
    ? { level: "review", message: `${sentence}: more than ${reviewDisputesPercent} % ${settlements}.` }
    : { level: "info", message: `${sentence}.` };
}

/** Millionths of a dollar as a decimal number. */
const dollarText = (micros: Micros) => {
  const fraction = String(micros % 1_000_000n)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `$${micros / 1_000_000n}${fraction && `.${fraction.padEnd(2, "0")}`}`;
};

function amountReason({ dollars, usual }: NonNullable<Facts["amount"]>): Omit<Reason, "code"> {
  const { maxTimesUsual } = rules;
  if (dollars === null) return { level: "review", message: "The amount has no known dollar value to compare." };
  if (usual === null)
    return { level: "review", message: `There are no recent proven payments to compare ${dollarText(dollars)} with.` };
  const sentence = `The amount is ${dollarText(dollars)}, the average of recent proven payments ${dollarText(usual)}`;
  return dollars > usual * maxTimesUsual
    ? { level: "review", message: `${sentence}: more than ${maxTimesUsual} times as much.` }
    : { level: "info", message: `${sentence}.` };
}

const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** The outcome of every check that applies. Each check alone determines its level, so none makes up for another. */
export function reasonsOf(facts: Facts): Reason[] {
  const { title, inactive, isActive, ageDays, credit, counterparties, disputes, attestors, name, lookAlikes } = facts;
  const { minAgeDays, minCredit } = rules;
  const reasons: Reason[] = [
    isActive
      ? { code: "status", level: "info", message: `The ${title} is active.` }
      : { code: "status", level: "avoid", message: `The ${title} is ${inactive}.` },
    {
      code: "age",
      level: ageDays < minAgeDays ? "review" : "info",
      message: `Registered ${plural(ageDays, "day")} ago. Records of less than ${minAgeDays} days are new.`,
    },
    {
      code: "payments",
      level: credit < minCredit ? "review" : "info",
      message: `Payments with ${plural(counterparties, "counterparty", "counterparties")} give it a credit of ${credit}. Less than ${minCredit} is little.`,
    },
  ];
  if (disputes) reasons.push({ code: "disputes", ...disputesReason(disputes, credit) });
  reasons.push({
    code: "attestations",
    level: "info",
    message: `${plural(attestors, "active attestor")} attest${attestors === 1 ? "s" : ""} its address.`,
  });
  reasons.push({
    code: "name",
    level: lookAlikes > 0 ? "review" : "info",
    message:
      name === null
        ? "It has no name in its metadata."
        : lookAlikes > 0
          ? `Its name looks like that of ${plural(lookAlikes, "record")} with as much credit.`
          : "No record with as much credit has a name that looks like its name.",
  });
  if (facts.token)
    reasons.push(
      facts.token.isListed
        ? { code: "token", level: "info", message: "The token is on the token list of the chain." }
        : { code: "token", level: "review", message: "The token is not on the token list of the chain." },
    );
  if (facts.amount) reasons.push({ code: "amount", ...amountReason(facts.amount) });
  return reasons;
}

/** The verdict of the worst reason. */
export function verdictOf(reasons: readonly Pick<Reason, "level">[]): (typeof verdicts)[number] {
  const worst = Math.max(0, ...reasons.map(({ level }) => levels.indexOf(level)));
  return verdicts[worst] ?? "avoid";
}
