import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { deployPath, readYaml } from "./files";

const KubernetesObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
  data: z.record(z.string(), z.string()).optional(),
  stringData: z.record(z.string(), z.string()).optional(),
});

/** The files of the manifests, without those of kustomize. */
export const manifestFiles = readdirSync(deployPath("kubernetes"), { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".yaml") && !file.endsWith("kustomization.yaml"),
);

export const objects = manifestFiles.flatMap((file) =>
  readYaml(join("kubernetes", file)).map((object) => ({ file, ...KubernetesObject.parse(object) })),
);

/** The variables of the ConfigMaps and Secrets with a name. */
export const dataOf = (name: string): Record<string, string> =>
  Object.assign(
    {},
    ...objects
      .filter(({ kind, metadata }) => ["ConfigMap", "Secret"].includes(kind) && metadata.name === name)
      .flatMap(({ data = {}, stringData = {} }) => [data, stringData]),
  );

const Probe = z.looseObject({ httpGet: z.object({ path: z.string(), port: z.string() }) });

const Deployment = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.number().optional(),
    strategy: z.looseObject({ type: z.string(), rollingUpdate: z.unknown().optional() }),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()), annotations: z.record(z.string(), z.string()) }),
      spec: z.looseObject({
        enableServiceLinks: z.boolean(),
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.looseObject({ runAsNonRoot: z.boolean(), runAsUser: z.number() }),
        containers: z.tuple([
          z.looseObject({
            image: z.string(),
            args: z.array(z.string()),
            envFrom: z.array(z.record(z.string(), z.object({ name: z.string() }))),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
            startupProbe: Probe,
            livenessProbe: Probe,
            readinessProbe: Probe,
            securityContext: z.looseObject({
              readOnlyRootFilesystem: z.boolean(),
              allowPrivilegeEscalation: z.boolean(),
            }),
            volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
          }),
        ]),
      }),
    }),
  }),
});

/** The Deployment with a name. Throws if it is not complete. */
export const deployment = (name: string) =>
  Deployment.parse(objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === name));
