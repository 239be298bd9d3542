/** A header of every response: browsers must not guess another content type, such as HTML in a published document. */
export const NO_SNIFF = { "x-content-type-options": "nosniff" } as const;
