import { isIP } from "node:net";
import { SaidError, say } from "../core/wording.ts";

/** Whether an address is in one of the networks, which have the form of `canonicalNetwork`. An empty list lets everybody in. */
export function letsIn(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true;
  if (!isAddress(address)) return false;
  const own = canonicalNetwork(address);
  const [{ name, bits }, value] = [familyOf(own), toBits(own)];
  return networks.some((network) => {
    const [first = "", prefix] = network.split("/");
    const beyond = BigInt(bits - Number(prefix ?? bits));
    return familyOf(first).name === name && toBits(first) >> beyond === value >> beyond;
  });
}

/** The one spelling of an address or a network (`203.0.113.0/24`): without the bits beyond the prefix, and as IPv4 if IPv6 holds it. @throws NoNetwork */
export function canonicalNetwork(text: string): string {
  const [address = "", prefix, more] = text.trim().split("/");
  if (!isAddress(address) || more !== undefined) throw noNetwork(text);
  const { bits } = familyOf(address);
  if (prefix !== undefined && (!/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > bits)) throw noNetwork(text);
  const kept = Number(prefix ?? bits);
  const value = toBits(address);
  // ::ffff:0:0/96
  const isMapped = bits === 128 && value >> 32n === 0xffffn && kept >= 96;
  const [own, ownKept] = isMapped ? [familyOf("0.0.0.0"), kept - 96] : [familyOf(address), kept];
  if (ownKept === 0)
    throw new NoNetwork(say("{network} is every address: leave the list empty to let everybody in", { network: JSON.stringify(text) }));
  const beyond = BigInt(own.bits - ownKept);
  const first = ((isMapped ? value & 0xffff_ffffn : value) >> beyond) << beyond;
  return `${own.write(first)}${ownKept === own.bits ? "" : `/${ownKept}`}`;
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

const families = [
  { name: "ipv4", bits: 32, write: (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".") },
  { name: "ipv6", bits: 128, write: (value: bigint) => shortIPv6((value.toString(16).padStart(32, "0").match(/.{4}/g) ?? []).join(":")) },
] as const;

const familyOf = (address: string): (typeof families)[number] => (address.includes(":") ? families[1] : families[0]);

function toBits(address: string): bigint {
  if (!address.includes(":")) return address.split(".").reduce((value, part) => value * 256n + BigInt(part), 0n);
  const [head = "", tail] = shortIPv6(address).split("::");
  const [before, after] = [head, tail ?? ""].map((part) => part.split(":").filter((group) => group !== "")) as [string[], string[]];
  const groups = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => "0"), ...after];
  return BigInt(`0x${groups.map((group) => group.padStart(4, "0")).join("")}`);
}

/** The address in the form of URLs: lower case, and the longest run of zeros as `::`. */
const shortIPv6 = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1);
