import { useId } from "preact/hooks";
import type { Field } from "./offer";

type InputProps = { field: Field; id: string; hint: string };

function Input({ field, id, hint }: InputProps) {
  const { name, isOptional } = field;
  const common = { id, name, required: isOptional === undefined, "aria-describedby": hint };
  switch (field.kind) {
    case "choice":
      return (
        <select {...common}>
          {field.options.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      );
    case "text":
      return <textarea {...common} rows={3} />;
    default:
      return <input {...common} autocomplete="off" spellcheck={false} />;
  }
}

/** A question with its answer. `unit` is the symbol of an amount. */
export function Question({ field, unit }: { field: Field; unit: string | undefined }) {
  const id = useId();
  const hint = `${id}-hint`;
  const isInUnits = field.kind === "amount" && unit === undefined;
  return (
    <div class="question">
      <label for={id}>
        {field.label}
        {unit !== undefined && (
          <>
            {" "}
            in <bdi>{unit}</bdi>
          </>
        )}
      </label>
      <Input field={field} id={id} hint={hint} />
      <span class="hint" id={hint}>
        {field.hint} {isInUnits && "In the smallest unit of the token."}
      </span>
    </div>
  );
}
