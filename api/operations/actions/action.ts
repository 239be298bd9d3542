import type { Abi, AbiFunction, AbiParameterToPrimitiveType } from "viem";
import { type ContractName, protocolAbis } from "../../../config/contracts";
import { chainString, functionTerm } from "../../actions/terms";
import type { ErrorStatus } from "../../core/errors";
import { address, bytes, exactly, flag, hash, id } from "../../core/inputs";
import { operation, z } from "../../core/operation";
import type { Context } from "../context";
import { type Next, PreparedAction, type TypedData } from "./answer";
import { answerOf, checkSender, type Prepared } from "./prepare";
import { createScope, type Scope } from "./scope";
import { contractAt, type Step, stepOf } from "./step";

/** The fields of every action. */
const common = {
  from: address.openapi({ description: "The account that acts." }),
  account: exactly("policy")
    .optional()
    .openapi({ description: "`policy`: from is a policy account, and its signer sends the transactions." }),
  signer: address.optional().openapi({ description: "The signer of the policy account, for the simulation." }),
};

/** A name of a contract as a field of the API: `metadataURI` is `metadata_uri`. */
type Snake<Name extends string> = Name extends `${infer Head}URI`
  ? `${Snake<Head>}_uri`
  : Name extends `${infer First}${infer Rest}`
    ? First extends Lowercase<First>
      ? `${First}${Snake<Rest>}`
      : `_${Lowercase<First>}${Snake<Rest>}`
    : Name;

const snakeCase = (name: string): string =>
  name.replace(/URI$/, "Uri").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The input type for each type of an argument. */
const typeOfArgument = {
  address,
  bool: flag,
  bytes,
  bytes32: hash,
  bytes4: functionTerm,
  string: chainString,
  uint256: id,
};

type Types = typeof typeOfArgument;

type FieldOf<Type extends string> = Type extends keyof Types ? Types[Type] : never;

/** A function that changes state, by its name. */
type FunctionNamed<Declared extends Abi, Name extends string> = Extract<
  Declared[number],
  { type: "function"; name: Name; stateMutability: "nonpayable" | "payable" }
>;

export type FunctionName<Declared extends Abi> = Extract<
  Declared[number],
  { type: "function"; stateMutability: "nonpayable" | "payable" }
>["name"];

type ArgumentsOf<Called extends AbiFunction> = {
  [Input in Called["inputs"][number] as Input["name"] & string]: AbiParameterToPrimitiveType<Input, "inputs">;
};

/** The fields for the arguments of a function whose types need no terms of their own. */
type Generated<Called extends AbiFunction> = {
  [Input in Called["inputs"][number] as Input["type"] extends keyof Types
    ? Snake<Input["name"] & string>
    : never]: FieldOf<Input["type"]>;
};

type Shape<Called extends AbiFunction, Fields extends z.ZodRawShape, Hidden extends string> = Omit<
  Generated<Called>,
  keyof Fields | Hidden
> &
  Fields &
  typeof common;

/** What an action does, for one input. */
type Plan<Called extends AbiFunction> = {
  /** What will happen, in a sentence. */
  summary: string;
  /** The arguments that are not the fields of the same name. */
  args?: Partial<ArgumentsOf<Called>>;
  /** The native coin to send with it, in wei. */
  value?: bigint;
  /** Calls before it, such as an approval. */
  before?: readonly Step[];
  next?: Next;
};

/** A plan without a transaction: something must be signed first. */
type ToSign = Pick<Prepared, "summary" | "payment"> & { typedData: TypedData; next?: Next };

type Definition<Called extends AbiFunction, Fields extends z.ZodRawShape, Hidden extends string> = {
  /** A title of at most 60 characters. */
  title: string;
  description?: string;
  /** Fields whose terms differ from the contract's, and further ones. */
  fields?: Fields;
  /** Fields of the contract that a person does not give. */
  hidden?: readonly Hidden[];
  /** The input of the example, without `from`, which is given by `example.from`. */
  example: Record<string, unknown>;
  /** Whether it may publish a document, which may need a write token. */
  publishes?: true;
  plan: (input: z.output<z.ZodObject<Shape<Called, Fields, Hidden>>>, scope: Scope) => Promise<Plan<Called> | ToSign>;
};

const errorsOf = (publishes: true | undefined): ErrorStatus[] => (publishes ? [401, 404, 413, 429] : [404, 429]);

/** Creates the operation of an action from its parts. */
export function actionOperation<Fields extends z.ZodRawShape>(definition: {
  name: string;
  title: string;
  description?: string | undefined;
  fields: Fields;
  example: Record<string, unknown>;
  publishes?: true | undefined;
  prepare: (input: z.output<z.ZodObject<Fields & typeof common>>, scope: Scope) => Promise<Prepared>;
}) {
  const { name, title, description, fields, example, publishes, prepare } = definition;
  return operation({
    route: `POST /actions/${name}`,
    summary: title,
    ...(description && { description }),
    input: z.object({ ...fields, ...common }),
    output: PreparedAction,
    errors: errorsOf(publishes),
    ...(publishes && { publishes }),
    example: example as never,
    dependsOn: ["index", "store", "time", "baseUrl", "untracked"],
    async run(context: Context, input, caller) {
      const sent = input as z.output<z.ZodObject<Fields & typeof common>>;
      const { from, account, signer } = input as z.output<z.ZodObject<typeof common>>;
      checkSender({ account, signer });
      const { now } = await context.clock();
      const scope = createScope(context, caller, { from, isPolicyAccount: account === "policy" }, now);
      const prepared = await prepare(sent, scope);
      const answer = await answerOf(scope, prepared, { account, signer });
      // Also if the simulation reverts: what was prepared may still be sent, and then names the document.
      await scope.publish();
      const { next } = answer;
      if (!next?.input || next.input.from !== from) return answer;
      // The next action of the same account has the same sender.
      const sender = { ...(account && { account }), ...(signer && { signer }) };
      return { ...answer, next: { ...next, input: { ...sender, ...next.input } } };
    },
  });
}

/**
 * Defines the action of one function of a contract. Its fields are generated from the ABI; `fields` replaces those whose terms
 * differ for people.
 */
export const actionsOf =
  <const Contract extends ContractName>(contract: Contract) =>
  <
    const Name extends FunctionName<(typeof protocolAbis)[Contract]>,
    const Fields extends z.ZodRawShape = Record<never, never>,
    const Hidden extends string = never,
  >(
    name: Name,
    definition: Definition<FunctionNamed<(typeof protocolAbis)[Contract], Name>, Fields, Hidden>,
  ) => {
    const { title, description, fields, hidden = [], example, publishes, plan } = definition;
    const abi: Abi = protocolAbis[contract];
    const called = abi.find((item): item is AbiFunction => item.type === "function" && item.name === name);
    if (!called) throw new Error(`${contract} has no function ${name}`);
    const generated = called.inputs.flatMap(({ name: argument = "", type }) => {
      const field = snakeCase(argument);
      const input = typeOfArgument[type as keyof Types];
      return input && !hidden.includes(field as Hidden) ? [[field, input] as const] : [];
    });
    return actionOperation({
      name,
      title,
      description,
      fields: { ...Object.fromEntries(generated), ...fields } as unknown as Shape<
        FunctionNamed<(typeof protocolAbis)[Contract], Name>,
        Fields,
        Hidden
      >,
      example,
      publishes,
      async prepare(input, scope): Promise<Prepared> {
        const planned = await plan(input as never, scope);
        const { summary, next } = planned;
        if ("typedData" in planned) return { steps: [], ...planned };
        const { args = {}, value, before = [] } = planned;
        const sent: Readonly<Record<string, unknown>> = input;
        const values = called.inputs.map(({ name: argument = "" }) => [
          argument,
          argument in args ? (args as Record<string, unknown>)[argument] : sent[snakeCase(argument)],
        ]);
        const step = stepOf(contract, contractAt(contract, scope), name, Object.fromEntries(values), value);
        return { summary, steps: [...before, step], ...(next && { next }) };
      },
    });
  };
