import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool, openGatewayOnStore, post } from "./gateway-on-store";

type Gateways = Awaited<ReturnType<typeof openGatewayOnStore>>;

describe("what a client may send", () => {
  let gateways: Gateways;

  beforeAll(async () => {
    gateways = await openGatewayOnStore("limits");
  });
  afterAll(() => gateways?.close());

  describe("attack: a schema that is expensive to validate", () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const objects = (count: number) => Array.from({ length: count }, (_, a) => ({ a }));

    it("is rejected on every transport if it exceeds the bounds", async () => {
      const gateway = gateways.serve();
      const input = { name: "attack", json_schema: { $schema, enum: objects(11_500) } };
      const error = "json_schema: must have at most 1000 items in an enum";
      const rest = await post(gateway, "/attestations/schemas", input);
      expect([rest.status, await rest.json()]).toEqual([400, { error }]);
      const trpc = await post(gateway, "/trpc/schemas.publish", input);
      expect([trpc.status, await trpc.json()]).toMatchObject([400, { error: { message: error } }]);
      expect(await callTool(gateway, "schemas_publish", input)).toEqual({ text: error, isError: true });
    });

    it("does not stop other requests while it is validated", async () => {
      const gateway = gateways.serve();
      const costly = { $schema, allOf: Array.from({ length: 4 }, () => ({ enum: objects(1_000) })) };
      let isDone = false;
      const publishing = Promise.all(
        ["one", "two", "three"].map((name) =>
          post(gateway, "/attestations/schemas", { name: `costly-${name}`, json_schema: costly }),
        ),
      ).then((responses) => {
        isDone = true;
        return responses;
      });
      let served = 0;
      while (!isDone) {
        expect((await gateway.request("/health")).status).toBe(200);
        served++;
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await publishing).map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(served).toBeGreaterThan(20);
    });

    it("counts as a write, also if it is invalid", async () => {
      const gateway = gateways.serve({ writesPerMinute: 2, trustProxy: true });
      const publish = () =>
        post(
          gateway,
          "/attestations/schemas",
          { name: "invalid", json_schema: { pattern: "(" } },
          { "x-forwarded-for": "192.0.2.50" },
        );
      const statuses: number[] = [];
      // A new minute may start in between, which allows two more.
      for (let number = 0; number < 5; number++) statuses.push((await publish()).status);
      expect(statuses[0]).toBe(400);
      expect(statuses).toContain(429);
    });
  });
});
