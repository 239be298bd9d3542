/** Text from the chain with NUL, which PostgreSQL text cannot hold, replaced by U+FFFD; nothing else is touched. */
export const cleanText = (text: string) => (text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text);
