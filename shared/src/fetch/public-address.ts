import { BlockList, isIP } from "node:net";

/** What lies in the wide range of addresses that are handed out, and still is nobody's server (IANA's special-purpose registries). */
const special4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
]);
/** Of IPv6 only this is handed out: mapped, translated, local and multicast addresses all lie elsewhere. */
const global6 = blockList("ipv6", [["2000::", 3]]);
const special6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Whether an IP address belongs to the internet, or else to a network that was `allowed`. False for everything that is no address. */
export function mayReach(address: string, allowed: BlockList | null): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const kind = family === 4 ? "ipv4" : "ipv6";
  if (allowed?.check(address, kind) === true) return true;
  return family === 4 ? !special4.check(address, kind) : global6.check(address, kind) && !special6.check(address, kind);
}

function blockList(kind: "ipv4" | "ipv6", networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of networks) list.addSubnet(address, bits, kind);
  return list;
}
