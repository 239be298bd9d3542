import { useEffect, useState } from "preact/hooks";
import { indentedJson } from "../text/indented-json";
import { Section } from "./blocks";
import { CopyButton } from "./copy-button";

/** A record as the API answers it. */
export function RawJson({ path, value }: { path: string; value: unknown }) {
  const [origin, setOrigin] = useState("");
  useEffect(() => setOrigin(location.origin), []);
  return (
    <Section
      title="JSON of the API"
      note={
        <>
          <a href={path}>GET {path}</a>{" "}
          <span class="scripted">
            Copy as curl <CopyButton text={`curl '${origin}${path}'`} />
          </span>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0}>{indentedJson(JSON.stringify(value))}</pre>
    </Section>
  );
}
