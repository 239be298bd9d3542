import { describe, expect, it } from "vitest";
import { clientOf } from "../../api/http/caller";

describe("the rate-limit key of a client", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::", "fe80:0:0:0::/64"],
    ["192.0.2.7:49152", "192.0.2.7"],
    ["[::ffff:192.0.2.7]:49152", "192.0.2.7"],
    ["::ffff:c000:207", "192.0.2.7"],
    ["[2001:db8:1:2::3]", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::3]:49152", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["[fe80::1%eth0]:49152", "fe80:0:0:0::/64"],
    ["unknown", "unknown"],
    ["[unknown]:1", "[unknown]:1"],
  ])("of %s is %s", (address, client) => {
    expect(clientOf(address)).toBe(client);
  });

  it("is the same for all addresses of an IPv6 /64 network", () => {
    expect(clientOf("2001:db8:1:2::1")).toBe(clientOf("2001:db8:1:2:aaaa::ffff"));
    expect(clientOf("2001:db8:1:2::1")).not.toBe(clientOf("2001:db8:1:3::1"));
  });
});
