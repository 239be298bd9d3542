import { operationId } from "../links";
import { Code, Prose, Words } from "./parts";
import type { ReferenceField, ReferenceOperation } from "./reference";

/** The input of a field, with the example's value. The script finds the fields by their attributes. */
function Input({ field, id }: { field: ReferenceField; id: string }) {
  const { name, place, isRequired, value, choices, source } = field;
  const common = { id, name, required: isRequired, "data-place": place };
  if (choices.length > 0)
    return (
      <select {...common}>
        {!isRequired && <option value="">not set</option>}
        {choices.map((choice) => (
          <option key={choice} selected={choice === value}>
            {choice}
          </option>
        ))}
      </select>
    );
  return (
    <input
      {...common}
      value={value}
      autocomplete="off"
      spellcheck={false}
      {...(source && { "data-source": source.path, "data-key": source.key })}
    />
  );
}

type FieldProps = { field: ReferenceField; id: string; hasInput: boolean };

const Field = ({ field, id, hasInput }: FieldProps) => (
  <div>
    <dt>
      {hasInput ? (
        <label for={id}>
          <code>{field.name}</code>
        </label>
      ) : (
        <code>{field.name}</code>
      )}
      <span class="note">
        {" "}
        {field.place}
        {field.isRequired && ", required"}
      </span>
    </dt>
    <dd>
      <Prose text={field.description} />
      <p class="note">
        <Words text={field.type} />
      </p>
      {hasInput && <Input field={field} id={id} />}
    </dd>
  </div>
);

/** The request that the page can send, and its response. */
const Sender = ({ operation }: { operation: ReferenceOperation }) => (
  <>
    {operation.body !== undefined && (
      <label class="body">
        Body
        <textarea name="body" data-place="body" rows={8} spellcheck={false}>
          {operation.body}
        </textarea>
      </label>
    )}
    <p class="send">
      <button type="submit" class="primary">
        Try it
      </button>
      <output />
    </p>
    {operation.isPaid && (
      <p class="note">
        This route requires a payment. Without one, the expected response is 402 with the payment terms. The{" "}
        <a href="/explore/portfolio">portfolio page</a> pays with a wallet.
      </p>
    )}
    <textarea class="response" aria-label="Response" rows={16} readOnly hidden />
  </>
);

const Responses = ({ responses }: Pick<ReferenceOperation, "responses">) => (
  <dl class="fields">
    {responses.map(({ status, type, description }) => (
      <div key={status}>
        <dt>
          <code>{status}</code>
        </dt>
        <dd>
          <Prose text={type === undefined ? description : `${description} Returns ${type}.`} />
        </dd>
      </div>
    ))}
  </dl>
);

export function Operation(operation: ReferenceOperation) {
  const { name, method, path, title, description, fields, body, samples, responses, response, canTry } = operation;
  const id = operationId(name);
  return (
    <details class="card operation" id={id}>
      <summary>
        <span class={`method method-${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
        <h3>{title}</h3>
      </summary>
      <Prose text={description} />
      <form data-method={method} data-path={path}>
        {fields.length > 0 && (
          <>
            <h4>Parameters</h4>
            <dl class="fields">
              {fields.map((field) => (
                <Field
                  key={field.name}
                  field={field}
                  id={`${id}-${field.name}`}
                  hasInput={canTry && (field.place === "path" || field.place === "query")}
                />
              ))}
            </dl>
          </>
        )}
        {canTry ? <Sender operation={operation} /> : body !== undefined && <Code label="Body" text={body} />}
      </form>
      <h4>Responses</h4>
      <Responses responses={responses} />
      {response !== undefined && (
        <details>
          <summary>Example response</summary>
          <Code label="To the example" text={response} />
        </details>
      )}
      <h4>Examples</h4>
      {samples.map(({ label, code }) => (
        <Code key={label} label={label} text={code} />
      ))}
    </details>
  );
}
