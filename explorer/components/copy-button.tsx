import { useState } from "preact/hooks";

const SHOWN_MS = 1_500;

/** Copies a text. The style sheet hides it where JavaScript is off. */
export function CopyButton({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button type="button" class="copy" title="Copy" aria-label={`Copy ${text}`} onClick={() => void copy()}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {isCopied ? (
          <path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" stroke-width="2" />
        ) : (
          <path
            d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z"
            fill="none"
            stroke="currentColor"
            stroke-width="1.4"
            stroke-linejoin="round"
          />
        )}
      </svg>
    </button>
  );
}
