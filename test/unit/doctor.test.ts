import fc from "fast-check";
import { type Abi, type AbiParameter, encodeAbiParameters, HttpRequestError, numberToHex, RpcRequestError } from "viem";
import { describe, expect, it } from "vitest";
import { contractNames, protocolAbis } from "../../config/contracts";
import bytecode from "../../contracts/bytecode.json";
import { compareClocks } from "../../stack/doctor/chain-clock";
import { check, ok } from "../../stack/doctor/check";
import { describeError } from "../../stack/doctor/describe-error";
import { isEncodingOf } from "../../stack/doctor/getters";
import { lagSeconds, positionOf } from "../../stack/doctor/replicas";
import { jsonReport, textReport } from "../../stack/doctor/report";
import { redact, secretsIn } from "../../stack/doctor/secrets";
import { missingIn } from "../../stack/doctor/selectors";

describe("a check", () => {
  it("that throws or hangs is a failed check", async () => {
    const throws = await check("one", async () => {
      throw new Error("No such thing.");
    });
    expect(throws).toMatchObject({ name: "one", status: "failed", message: "Unexpected error: No such thing." });
    let isAborted = false;
    const hangs = await check(
      "other",
      (signal) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            isAborted = true;
          });
        }),
      10,
    );
    expect(hangs).toMatchObject({ name: "other", status: "failed", message: "No answer within 0.01 s." });
    expect(isAborted).toBe(true);
  });

  it("is one line of the report, with the advice", () => {
    const results = [
      { name: "one", ...ok("Fine.") },
      { name: "other", status: "failed" as const, message: "Broken.", advice: "Repair it." },
    ];
    expect(textReport(results).split("\n")).toEqual([
      "ok       one: Fine.",
      "failed   other: Broken. Repair it.",
      "",
      "1 ok, 0 warnings, 1 failed",
    ]);
    expect(JSON.parse(jsonReport(results))).toEqual({ ok: false, checks: results });
  });
});

describe("an error's description", () => {
  const url = "https://rpc.example/v2/secret-key";

  it("has no URL, and one line of printable characters", () => {
    const body = { method: "eth_chainId" };
    const errors = [
      new HttpRequestError({ url, body, status: 401, details: "unauthorized" }),
      new HttpRequestError({ url, body, cause: new Error("fetch failed", { cause: new Error("connect refused") }) }),
      new RpcRequestError({ url, body, error: { code: -32000, message: "missing\n\u001b[31mtrie node." } }),
      new AggregateError([Object.assign(new Error(""), { code: "ECONNREFUSED" })]),
      "text",
    ];
    expect(errors.map(describeError)).toEqual([
      "HTTP status 401",
      "connect refused",
      "JSON-RPC error -32000: missing [31mtrie node",
      "ECONNREFUSED",
      "text",
    ]);
  });
});

describe("secrets", () => {
  it("are tokens, passwords, and keys in URLs", () => {
    expect(
      secretsIn({
        RPC_URL: "https://one.example/v2/0123456789, https://two.example/?apikey=abcdefghij",
        DATABASE_URL: "postgres://role:p%40ss@db.example/intentry_production",
        X402_FACILITATOR_AUTH: "Bearer abc",
        WRITE_TOKENS: "first,second",
        LOG_LEVEL: "warn",
      }).sort(),
    ).toEqual(
      ["0123456789", "abcdefghij", "p%40ss", "p@ss", "Bearer abc", "abc", "first,second", "first", "second"].sort(),
    );
  });

  it("never remain in a redacted text", () => {
    const secret = fc.stringMatching(/^[a-z0-9]{8,20}$/);
    fc.assert(
      fc.property(secret, secret, fc.string(), fc.string(), (key, password, before, after) => {
        const env = { RPC_URL: `https://a.example/${key}`, DATABASE_URL: `postgres://me:${password}@b.example/c` };
        const text = redact(`${before}${key} ${password}${after}`, secretsIn(env));
        expect(text).not.toContain(key);
        expect(text).not.toContain(password);
      }),
    );
  });
});

describe("the selectors of a contract", () => {
  const codeOf = (name: string) => `0x${(bytecode as Record<string, string>)[name]?.slice(2)}` as const;

  it.each(contractNames)("%s are all in its own code", (name) => {
    expect(missingIn(codeOf(name), name, protocolAbis[name])).toEqual({ needed: [], other: [] });
  });

  it("are not in the code of another one, nor in no code", () => {
    expect(missingIn(codeOf("AgentRegistry"), "SolverRegistry", protocolAbis.SolverRegistry).needed).toContain(
      "registerSolver",
    );
    const none = missingIn("0x", "IntentBook", protocolAbis.IntentBook);
    expect(none.needed).toEqual(expect.arrayContaining(["submitIntent", "getIntent", "IntentSubmitted"]));
    expect(none.other).toContain("eip712Domain");
    expect(none.needed).not.toContain("EIP712DomainChanged");
  });

  it("are constants, and not parts of other constants", () => {
    const abi = [
      { type: "function", name: "transfer", stateMutability: "nonpayable", outputs: [], inputs: [] },
    ] as const;
    const selector = "8a4068dd"; // transfer()
    expect(missingIn(`0x63${selector}`, "IntentBook", abi).needed).toEqual([]);
    expect(missingIn(`0x6563${selector}00`, "IntentBook", abi).needed).toEqual(["transfer"]);
  });
});

describe("a replica's lag", () => {
  const replica = { inRecovery: true, startedAt: "", systemIdentifier: null, replayedSecondsAgo: 90 };

  it("is 0 once it has replayed everything, however old the last transaction is", () => {
    expect(positionOf("1/2000060")).toBe(0x1_0200_0060n);
    expect(lagSeconds({ ...replica, position: "1/2000060" }, { position: "0/FFFFFFFF" })).toBe(0);
    expect(lagSeconds({ ...replica, position: "1/2000060" }, { position: "1/2000060" })).toBe(0);
    expect(lagSeconds({ ...replica, position: "1/2000060" }, { position: "1/2000061" })).toBe(90);
    expect(lagSeconds({ ...replica, position: null }, { position: "1/2000061" })).toBe(90);
    const started = { ...replica, position: "1/2000060", replayedSecondsAgo: null };
    expect(lagSeconds(started, { position: "1/2000061" })).toBeUndefined();
  });
});

describe("the clock", () => {
  it("may be 5 s behind the newest block", () => {
    expect(compareClocks(1_000, 995_000).status).toBe("ok");
    expect(compareClocks(1_000, 2_000_000).status).toBe("ok");
    expect(compareClocks(1_000, 994_900)).toMatchObject({
      status: "warning",
      message: "This machine's clock is 5.1 s behind the newest block.",
    });
  });
});

describe("the result of a getter", () => {
  const outputs = [
    {
      type: "tuple",
      components: [
        { name: "text", type: "string" },
        { name: "active", type: "bool" },
      ],
    },
  ];
  const encoded = encodeAbiParameters(outputs, [{ text: "~~", active: true }]);

  it("is the exact encoding of the types, also of text that is not valid UTF-8", () => {
    expect(isEncodingOf(outputs, encoded)).toBe(true);
    expect(isEncodingOf(outputs, `0x${encoded.slice(2).replace("7e7e", "ff00")}`)).toBe(true);
    expect(isEncodingOf([], "0x")).toBe(true);
  });

  it("is not the encoding of other types, even if it can be decoded", () => {
    expect(isEncodingOf(outputs, `${encoded}${"00".repeat(32)}`)).toBe(false);
    expect(isEncodingOf([{ type: "address" }], `0x${"ff".repeat(32)}`)).toBe(false);
    expect(isEncodingOf([{ type: "bool" }], numberToHex(2, { size: 32 }))).toBe(false);
    expect(isEncodingOf([{ type: "uint256" }], "0x")).toBe(false);
  });

  const structs = Object.values(protocolAbis).flatMap((abi) =>
    (abi as Abi).flatMap((item) => {
      const [output] = item.type === "function" ? item.outputs : [];
      const components = output && "components" in output ? output.components : undefined;
      return item.type === "function" && components ? [{ name: item.name, components }] : [];
    }),
  );
  type Member = AbiParameter & { components?: readonly Member[] };
  const sampleOf = ({ type, components }: Member): unknown => {
    if (components) return Object.fromEntries(components.map((member) => [member.name, sampleOf(member)]));
    if (type === "string") return "text";
    if (type === "bool") return true;
    if (type === "address") return `0x${"ab".repeat(20)}`;
    if (type === "bytes") return "0x1234";
    return type.startsWith("bytes") ? `0x${"cd".repeat(Number(type.slice(5)))}` : type === "uint256" ? 7n : 1;
  };
  const encodingOf = (components: readonly Member[]) => {
    const tuple = { type: "tuple", components };
    return encodeAbiParameters([tuple], [sampleOf(tuple)]);
  };

  it.each(structs)("of $name is not the encoding of a struct that lacks a member", ({ components }) => {
    const outputs = [{ type: "tuple", components }];
    expect(isEncodingOf(outputs, encodingOf(components))).toBe(true);
    for (const lacking of components)
      expect(
        isEncodingOf(outputs, encodingOf(components.filter((one) => one !== lacking))),
        `without ${lacking.name}`,
      ).toBe(false);
  });

  it("is checked for every getter of a struct in the protocol", () => {
    expect(structs.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["getQuote", "getReceipt", "getDispute", "getFacilitator", "getTrustSignal"]),
    );
    expect(structs.map(({ name }) => name)).toEqual(expect.arrayContaining(["getSolver", "getAttestor", "getIntent"]));
  });
});
