import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../api/metadata/address";
import { planFor } from "../../api/metadata/resolve";
import { Unresolved } from "../../api/metadata/unresolved";
import { locate } from "../../api/metadata/uri";
import { anyText } from "../support/any-text";

const OWN = ["https://api.example.com", "http://127.0.0.1:3001"];
const HASH = `0x${"ab".repeat(32)}`;
const CID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

/** The location of a URI, or why it has none. */
const located = (uri: string): unknown => {
  try {
    return locate(uri, OWN);
  } catch (error) {
    if (!(error instanceof Unresolved)) throw error;
    return error.message;
  }
};

describe("an address on the public internet", () => {
  it.each(["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001:830::200e"])("is %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ["loopback", "127.0.0.1", "127.8.9.1", "::1"],
    ["unspecified", "0.0.0.0", "0.1.2.3", "::"],
    ["private", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd00::1", "fc00::1", "fec0::1"],
    ["link-local, such as the metadata service of a cloud", "169.254.169.254", "fe80::1"],
    ["shared by a carrier", "100.64.0.1", "100.127.255.254"],
    ["multicast or broadcast", "224.0.0.1", "239.1.1.1", "255.255.255.255", "ff02::1"],
    ["reserved", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "240.0.0.1", "2001:db8::1", "100::1"],
    ["IPv4 in IPv6", "::ffff:127.0.0.1", "::ffff:93.184.216.34", "::127.0.0.1", "2002:7f00:1::1"],
    ["behind NAT64", "64:ff9b::7f00:1", "64:ff9b:1::a00:1"],
    ["Teredo", "2001:0:7f00:1::1"],
    ["no address", "", "localhost", "127.1", "0x7f000001", "2130706433x", "1.1.1.1 ", "fe80::1%eth0"],
  ])("is not one that is %s", (_, ...addresses) => {
    for (const address of addresses) expect(isPublicAddress(address), address).toBe(false);
  });
});

describe("a metadata URI", () => {
  it("names a URL on port 443", () => {
    expect(located("https://example.com/a?b=c")).toEqual({ kind: "https", url: new URL("https://example.com/a?b=c") });
  });

  it.each([`https://api.example.com/catalogs/${HASH}`, `http://127.0.0.1:3001/catalogs/${HASH}`, `/catalogs/${HASH}`])(
    "names a document of this service: %s",
    (uri) => {
      expect(located(uri)).toEqual({ kind: "document", documentKind: "catalog", hash: HASH });
      expect(planFor(uri, OWN)).toEqual({ isRemote: false, documentHash: HASH });
    },
  );

  it.each([
    ["/quote-requests", "quote-request"],
    ["/quote-responses", "quote-response"],
    ["/fulfillment-payloads", "fulfillment-payload"],
    ["/fulfillment-evidence", "fulfillment-evidence"],
  ])("names a document below %s", (path, documentKind) => {
    expect(located(`${path}/${HASH}`)).toEqual({ kind: "document", documentKind, hash: HASH });
  });

  it.each([
    ["data:application/json;base64,eyJhIjoxfQ==", '{"a":1}'],
    ["data:application/json;base64,eyJhIjoxfQ", '{"a":1}'],
    ["data:application/json,%7B%22a%22%3A1%7D", '{"a":1}'],
    ['data:,{"a":1}', '{"a":1}'],
  ])("contains its content: %s", (uri, text) => {
    expect(located(uri)).toEqual({ kind: "data", bytes: Buffer.from(text) });
  });

  it.each([
    [`ipfs://${CID}`, CID],
    [`ipfs://ipfs/${CID}/a b.json`, `${CID}/a%20b.json`],
    [`ipfs://${CID}/a%2fb`, `${CID}/a%2Fb`],
    ["ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG", "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"],
  ])("names a file in IPFS: %s", (uri, path) => {
    expect(located(uri)).toMatchObject({ kind: "ipfs" });
    expect(String((located(uri) as { path: string }).path)).toBe(path);
    expect(planFor(uri, OWN)).toEqual({ isRemote: true, documentHash: null });
  });

  it.each([
    ["", "The metadata URI is empty"],
    ["weather", "The metadata URI is not a URL"],
    ["http://example.com/", "The URL must start with https://"],
    ["https://example.com:8443/", "The URL must use port 443"],
    ["https://user:pass@example.com/", "The URL must not contain credentials"],
    ["https://api.example.com/metrics", "The URL is not that of a document of this service"],
    ["http://127.0.0.1:3001/catalogs/0x12", "The URL is not that of a document of this service"],
    ["ftp://example.com/", "The scheme of the metadata URI is not supported: use https, ipfs or data"],
    ["file:///etc/passwd", "The scheme of the metadata URI is not supported: use https, ipfs or data"],
    ["javascript:alert(1)", "The scheme of the metadata URI is not supported: use https, ipfs or data"],
    ["ipfs://agents/trader", "The IPFS URI has no valid CID"],
    [`ipfs://${CID}/%2e%2e/x`, "The IPFS URI has an invalid path"],
    [`ipfs://${CID}/../x`, "The IPFS URI has an invalid path"],
    [`ipfs://${CID}/x?y`, "The IPFS URI has an invalid path"],
    ["data:application/json;base64", "The data: URI has no comma"],
    ["data:;base64,***", "The data: URI is not valid base64"],
    ["data:,%zz", "The URI has an invalid percent-encoding"],
  ])("can't be resolved: %s", (uri, reason) => {
    expect(located(uri)).toBe(reason);
    expect(planFor(uri, OWN)).toEqual({ isRemote: false, documentHash: null });
  });

  it("has at most 2,048 characters, unless it contains its content", () => {
    expect(located(`https://example.com/${"a".repeat(2_048)}`)).toBe("The metadata URI has more than 2048 characters");
    expect(located(`data:,${"a".repeat(100_000)}`)).toMatchObject({ kind: "data" });
    expect(located(`data:,${"a".repeat(1_000_000)}`)).toMatch(/^The data: URI has more than \d+ characters$/);
  });

  it("of any text is located or rejected with a reason", () => {
    const uri = fc.oneof(anyText(), fc.tuple(fc.constantFrom("https://", "ipfs://", "data:", "/catalogs/"), anyText()));
    fc.assert(fc.property(uri, (parts) => located([parts].flat().join("")) !== undefined));
  });
});
