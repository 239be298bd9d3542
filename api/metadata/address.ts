import ipaddr from "ipaddr.js";

/** The global unicast addresses of IPv6. Everything outside is special, also what no list names yet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an IP address is on the public internet. Private, loopback, link-local, shared, multicast and reserved addresses
 * are not, nor are IPv6 addresses with an embedded IPv4 address (mapped, 6to4, NAT64, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST);
}
