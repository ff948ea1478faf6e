import { BlockList, isIP, isIPv6, SocketAddress } from "node:net";

/** Whether a request's Host header names this server. It refuses a page that reaches the server under a foreign name, which that name's owner points here. */
export type HostCheck = (header: string | undefined) => boolean;

/** Accepts loopback, `own` (addresses and names), and requests without a Host, which no browser sends. Ports do not count: a proxy may change them. */
export function createHostCheck(own: readonly string[]): HostCheck {
  const known = new Set(own.map(nameOf));
  // The last name is kept, since most requests come under one name.
  let lastOwn = "";
  return (header = "") => {
    if (header === lastOwn || header === "") return true;
    const name = nameOf(header);
    const isOwn = name !== "" && (name === "localhost" || known.has(name) || isLoopback(name.replace(/^\[(.*)\]$/, "$1")));
    if (isOwn) lastOwn = header;
    return isOwn;
  };
}

/** The name as URLs hold it, without a port; empty when there is none. */
function nameOf(host: string): string {
  const bare = isIPv6(host) ? `[${host}]` : host;
  return /[/?#@\\\s]/.test(bare) || !URL.canParse(`http://${bare}`) ? "" : new URL(`http://${bare}`).hostname;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether an address without mapping is this machine's own. */
export const isLoopback = (address: string): boolean => isIP(address) !== 0 && loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4");

/** The address in its usual spelling, without mapping: an IPv4 address within IPv6 becomes itself. */
export function withoutMapping(text: string): string {
  const address = text.replace(/%.*/, "");
  return isIPv6(address) ? new SocketAddress({ address, family: "ipv6" }).address.replace(/^::ffff:(?=\d+\.)/, "") : address;
}
