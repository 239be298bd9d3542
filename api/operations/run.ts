import { BadInput, Unauthorized } from "../errors";
import type { Services } from "../services";
import { type Allowance, countWrite } from "../store/limits";
import type { AnyOperation } from "./index";
import { type Caller, problemsOf } from "./operation";

/** What came of an operation; a write that is limited also says how many are left. */
type Done = { input: Record<string, unknown>; output: unknown; allowance?: Allowance };

/** Runs an operation on what was sent. Its answer is held against its schema where that is asked for. */
export async function runOperation(
  services: Services,
  operation: AnyOperation,
  sent: unknown,
  caller: Caller,
): Promise<Done> {
  const { config, store } = services;
  if (operation.writes && config.writeTokens.length > 0 && !caller.isKnown)
    throw new Unauthorized("authorization: must be Bearer and a token that may write");
  const parsed = operation.input.safeParse(sent);
  if (!parsed.success) throw new BadInput(...problemsOf(parsed.error, operation.headers));
  const limit = operation.writes ? config.writesPerMinute : undefined;
  const allowance = limit === undefined ? undefined : await countWrite(await store(), caller.client, limit, Date.now());
  const output = await operation.run(services as never, parsed.data as never, caller);
  return {
    input: parsed.data,
    output: config.checkAnswers ? operation.output.parse(output) : output,
    ...(allowance && { allowance }),
  };
}
