import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** The names of the types that the page describes. */
export const TypeNames = createContext<ReadonlySet<string>>(new Set());

/** The fragment of a title. */
export const anchorOf = (title: string): string => title.toLowerCase().replaceAll(" ", "-");

/** A text whose code is in backticks. Names of types become links. */
export function Words({ text }: { text: string }) {
  const types = useContext(TypeNames);
  // Every second part was in backticks.
  return (
    <>
      {text.split("`").map((part, index) => {
        if (index % 2 === 0) return part;
        const code = <code>{part}</code>;
        return types.has(part) ? <a href={`#type-${part}`}>{code}</a> : code;
      })}
    </>
  );
}

/** Paragraphs of {@link Words}. */
export const Prose = ({ text }: { text: string }) => (
  <>
    {text.split("\n\n").map((paragraph) => (
      <p key={paragraph}>
        <Words text={paragraph} />
      </p>
    ))}
  </>
);

/** A labelled text to copy. */
export const Code = ({ label, text }: { label: string; text: string }) => (
  <figure class="code">
    <figcaption>
      {label}
      <button type="button" data-copy>
        Copy
      </button>
    </figcaption>
    <pre>
      <code>{text}</code>
    </pre>
  </figure>
);
