import { isIP, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { SaidError, say } from "../core/wording.ts";

/** Whether an address is in one of the networks, which have the form of `canonicalNetwork`. An empty list lets everybody in. */
export function letsIn(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true;
  if (!isAddress(address)) return false;
  const own = ipaddr.parse(canonicalNetwork(address));
  return networks.some((network) => {
    const [first, kept] = ipaddr.parseCIDR(network.includes("/") ? network : `${network}/${bitsOf(network)}`);
    return own.kind() === first.kind() && own.match(first, kept);
  });
}

/** The one spelling of an address or a network (`203.0.113.0/24`): without the bits beyond the prefix, and as IPv4 if IPv6 holds it. @throws NoNetwork */
export function canonicalNetwork(text: string): string {
  const [address = "", prefix, more] = text.trim().split("/");
  if (!isAddress(address) || more !== undefined) throw noNetwork(text);
  const bits = bitsOf(address);
  if (prefix !== undefined && (!/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > bits)) throw noNetwork(text);
  const kept = Number(prefix ?? bits);
  const given = ipaddr.parse(bits === 32 ? address : withoutDots(address));
  const isMapped = given instanceof ipaddr.IPv6 && given.isIPv4MappedAddress() && kept >= 96;
  const [own, ownKept] = isMapped ? [given.toIPv4Address(), kept - 96] : [given, kept];
  if (ownKept === 0)
    throw new NoNetwork(say("{network} is every address: leave the list empty to let everybody in", { network: JSON.stringify(text) }));
  const first = (own instanceof ipaddr.IPv4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(`${own.toString()}/${ownKept}`).toString();
  return ownKept === bitsOf(first) ? first : `${first}/${ownKept}`;
}

/** The fault of a text that should be an address or a network. */
export class NoNetwork extends SaidError {
  override name = "NoNetwork";
}

const noNetwork = (text: string): NoNetwork =>
  new NoNetwork(
    say("{given} is neither an address nor a network: write one such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32", {
      given: JSON.stringify(text),
    }),
  );

/** Whether the text is an address without a zone: `%eth0` names a network card of this machine. */
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes("%");

const bitsOf = (address: string): number => (address.includes(":") ? 128 : 32);

/** The network of an IPv6 address, a /64 unless `groupsKept` says otherwise, since one client owns all of it; an IPv4 address unchanged. */
export function networkOf(address: string, groupsKept = 4): string {
  if (!isIPv6(address)) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, groupsKept);
  return groups.map((group) => group.toString(16)).join(":");
}

/** The library takes `::1.2.3.4` for a mapped address. */
const withoutDots = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1);
