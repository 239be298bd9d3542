import { type Assets, documentText } from "../document";
import { operationId } from "../links";
import { Operation } from "./operation";
import { anchorOf, Code, Prose, TypeNames, Words } from "./parts";
import type { Reference, ReferenceType } from "./reference";

const titleOf = (title: string) => title.replace(/\.$/, "");

/** Links to all operations. Narrow screens have no room for them, and list the closed operations. */
const Contents = ({ groups }: Pick<Reference, "groups">) => (
  <nav class="contents" aria-label="Operations">
    {groups.map(({ title, operations }) => (
      <section key={title}>
        <a class="group" href={`#${anchorOf(title)}`}>
          {title}
        </a>
        <ul>
          {operations.map(({ name, method, title }) => (
            <li key={name}>
              <a href={`#${operationId(name)}`}>
                <span class={`method method-${method.toLowerCase()}`}>{method}</span> {titleOf(title)}
              </a>
            </li>
          ))}
        </ul>
      </section>
    ))}
    <a class="group" href="#types">
      Types
    </a>
  </nav>
);

const Introduction = ({ version, summary, topics, recipes }: Reference) => (
  <section class="card">
    <h1>Intentry API</h1>
    <Prose text={summary} />
    <p class="note">
      Version {version}. Also as <a href="/openapi.json">OpenAPI</a>, and for language models as{" "}
      <a href="/llms-full.txt">llms-full.txt</a>.
    </p>
    <noscript>
      <p class="note">Requests can be sent from this page with JavaScript only. The curl commands work without it.</p>
    </noscript>
    <details>
      <summary>Conventions</summary>
      {topics.map(({ title, text }) => (
        <div key={title}>
          <h2>{title}</h2>
          <Prose text={text} />
        </div>
      ))}
    </details>
    <details>
      <summary>Examples in shell, TypeScript and Python</summary>
      {recipes.map(({ title, samples }) => (
        <div key={title}>
          <h2>{title}</h2>
          {samples.map(({ label, code }) => (
            <Code key={label} label={label} text={code} />
          ))}
        </div>
      ))}
    </details>
  </section>
);

const Type = ({ name, description, fields }: ReferenceType) => (
  <details class="card type" id={`type-${name}`}>
    <summary>
      <h3>{name}</h3>
    </summary>
    {description !== "" && <Prose text={description} />}
    <dl class="fields">
      {fields.map((field) => (
        <div key={field.name}>
          <dt>
            <code>{field.name}</code>
            {!field.isRequired && <span class="note"> optional</span>}
          </dt>
          <dd>
            <Prose text={field.description} />
            <p class="note">
              <Words text={field.type} />
            </p>
          </dd>
        </div>
      ))}
    </dl>
  </details>
);

const ReferencePage = (reference: Reference) => (
  <TypeNames.Provider value={new Set(reference.types.map(({ name }) => name))}>
    <div class="reference">
      <Contents groups={reference.groups} />
      <div class="operations">
        <Introduction {...reference} />
        {reference.groups.map(({ title, description, operations }) => (
          <section key={title} id={anchorOf(title)} aria-label={title}>
            <h2>{title}</h2>
            <Prose text={description} />
            {operations.map((operation) => (
              <Operation key={operation.name} {...operation} />
            ))}
          </section>
        ))}
        <section id="types" aria-label="Types">
          <h2>Types</h2>
          {reference.types.map((type) => (
            <Type key={type.name} {...type} />
          ))}
        </section>
      </div>
    </div>
  </TypeNames.Provider>
);

/** The HTML of the reference page. */
export const renderReference = (reference: Reference, assets: Assets | undefined): string =>
  documentText({
    title: "API reference",
    assets,
    shell: { path: "/docs" },
    isLong: true,
    children: <ReferencePage {...reference} />,
  });
