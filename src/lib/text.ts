/** Replaces NUL, which PostgreSQL text can't store, with U+FFFD. */
export const cleanText = (text: string) => (text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text);
