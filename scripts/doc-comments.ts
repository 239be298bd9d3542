/** Blanks, a doc comment, and the rest of a line if it is empty. */
const DOC_COMMENT = /[ \t]*(\/\*\*(?:[^*]|\*(?!\/))*\*\/)[ \t]*\n?/g;

/**
 * Puts every doc comment on its own line. The bundler of declarations appends a comment to the line before its declaration,
 * where editors ignore it.
 *
 * @example
 * separateDocComments("id: string; /** The name. *\/\nname: string;") // "id: string;\n/** The name. *\/\nname: string;"
 */
export const separateDocComments = (declarations: string): string =>
  declarations.replace(DOC_COMMENT, (_, comment: string, at: number) => {
    const isLineStart = at === 0 || declarations[at - 1] === "\n";
    return `${isLineStart ? "" : "\n"}${comment}\n`;
  });

type Output = { type: "chunk"; code: string } | { type: "asset" };

/** A plugin of the bundler that does this in all declaration files. */
export const docCommentsOnOwnLines = {
  name: "doc-comments-on-own-lines",
  generateBundle(_: unknown, bundle: Record<string, Output>): void {
    for (const [name, output] of Object.entries(bundle))
      if (name.endsWith(".d.ts") && output.type === "chunk") output.code = separateDocComments(output.code);
  },
};
