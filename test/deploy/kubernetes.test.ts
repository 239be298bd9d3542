import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { findProgram, run } from "../support/programs";
import { deployPath, readYaml } from "./files";
import { deployment, manifestFiles, objects } from "./kubernetes-objects";

const Kustomization = z.looseObject({ resources: z.array(z.string()) });
const kustomization = (folder: string) =>
  Kustomization.parse(readYaml(join("kubernetes", folder, "kustomization.yaml"))[0]);

const names = (kind: string) => objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);

const api = deployment("intentry-api");
const indexer = deployment("intentry-indexer");

const IngressPath = z.object({
  path: z.string(),
  pathType: z.enum(["Exact", "Prefix"]),
  backend: z.object({ service: z.looseObject({ name: z.string() }) }),
});
const Ingress = z.looseObject({
  spec: z.looseObject({ rules: z.array(z.looseObject({ http: z.object({ paths: z.array(IngressPath) }) })) }),
});

describe("the Kubernetes manifests", () => {
  it("have no namespace and unique names", () => {
    expect(objects.filter(({ metadata }) => metadata.namespace !== undefined)).toEqual([]);
    const keys = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("are all part of the kustomization, except the example of Secrets", () => {
    const listed = ["", "indexer"].flatMap((folder) =>
      kustomization(folder).resources.map((resource) => join(folder, resource)),
    );
    expect(listed.filter((path) => path !== "indexer").sort()).toEqual(
      manifestFiles.filter((file) => file !== "secret.example.yaml").sort(),
    );
    expect(kustomization("next-indexer").resources.map((path) => normalize(join("next-indexer", path)))).toEqual([
      dirname("indexer/deployment.yaml"),
    ]);
  });

  it.each([api, indexer])("refer to ConfigMaps and Secrets that exist: $metadata.name", ({ spec }) => {
    const [{ envFrom }] = spec.template.spec.containers;
    const sources = envFrom.flatMap((source) => Object.entries(source));
    for (const [kind, { name }] of sources)
      expect(names(kind === "secretRef" ? "Secret" : "ConfigMap"), name).toContain(name);
    expect(sources.length).toBe(3);
  });

  it.each([api, indexer])("run without root, privileges and a writable image: $metadata.name", ({ spec }) => {
    const { securityContext, containers } = spec.template.spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(containers[0].securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    });
    expect(containers[0].volumeMounts.map(({ mountPath }) => mountPath)).toContain("/var/lib/intentry");
  });

  it.each([api, indexer])("have probes on a port of the container: $metadata.name", ({ spec }) => {
    const [{ ports, startupProbe, livenessProbe, readinessProbe }] = spec.template.spec.containers;
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
      "/health",
      "/health",
      "/ready",
    ]);
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
      expect(ports.map(({ name }) => name)).toContain(httpGet.port);
    expect(spec.template.metadata.annotations["prometheus.io/port"]).toBe(String(ports[0]?.containerPort));
  });

  it.each([api, indexer])("give no variables of Services, such as API_PORT, to pods: $metadata.name", ({ spec }) => {
    expect(spec.template.spec.enableServiceLinks).toBe(false);
  });

  it("replace gateways without a gap, and never run two indexers of one build", () => {
    expect(api.spec.strategy).toMatchObject({ type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0 } });
    expect(indexer.spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
  });

  it.each([
    ["/metrics", "intentry-nothing"],
    ["/metrics/", "intentry-nothing"],
    ["/metrics/rpc", "intentry-nothing"],
    ["/metricsx", "intentry-api"],
    ["/intents", "intentry-api"],
    ["/", "intentry-api"],
  ])("route %s to %s", (path, service) => {
    const elements = (text: string) => text.split("/").filter(Boolean);
    /** Whether a rule of the Ingress matches, as Kubernetes defines it. */
    const matches = (rule: z.infer<typeof IngressPath>) =>
      rule.pathType === "Exact"
        ? rule.path === path
        : elements(rule.path).every((element, at) => element === elements(path)[at]);
    const rules = objects
      .filter(({ kind }) => kind === "Ingress")
      .flatMap((object) => Ingress.parse(object).spec.rules.flatMap(({ http }) => http.paths));
    const [longest] = rules.filter(matches).sort((one, other) => other.path.length - one.path.length);
    expect(longest?.backend.service.name).toBe(service);
  });

  it("select the pods of their Deployments", () => {
    for (const { spec } of [api, indexer])
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    const Selecting = z.object({ spec: z.object({ selector: z.record(z.string(), z.string()) }) });
    for (const { spec, metadata } of [api, indexer]) {
      const service = objects.find((object) => object.kind === "Service" && object.metadata.name === metadata.name);
      expect(spec.template.metadata.labels).toMatchObject(Selecting.parse(service).spec.selector);
    }
  });
});

const kubectl = findProgram("kubectl");

describe.skipIf(!kubectl)("kubectl kustomize", () => {
  it("builds everything with the configured image", () => {
    const { status, output } = run(kubectl ?? "", ["kustomize", deployPath("kubernetes")]);
    expect(output).toContain("image: registry.example.com/intentry:");
    expect(status).toBe(0);
  });

  it("builds the next version's indexer with its own name and labels", () => {
    const { status, output } = run(kubectl ?? "", ["kustomize", deployPath("kubernetes/next-indexer")]);
    expect(status).toBe(0);
    expect(output).toContain("name: intentry-indexer-next");
    expect(output.match(/^kind: .*$/gm)).toEqual(["kind: Deployment"]);
    expect(output.match(/instance: \w+/g)).toEqual(expect.arrayContaining(["instance: next"]));
    expect(output).not.toContain("instance: current");
  });
});
