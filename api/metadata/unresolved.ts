/** Why metadata has no content. The message is a sentence that clients receive. */
export class Unresolved extends Error {
  override name = "Unresolved";
  /** Whether another attempt would fail too, as long as the chain has the same URI. */
  readonly isPermanent: boolean;

  constructor(message: string, { isPermanent = false, cause }: { isPermanent?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isPermanent = isPermanent;
  }
}

/** The URI itself is the reason. */
export const invalidUri = (message: string) => new Unresolved(message, { isPermanent: true });
