import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";

export interface ClientAddress {
  address: string;
  /** Whether the request was made from this machine, not passed on by something on it. */
  isLocal: boolean;
}

/**
 * Where a request comes from. Behind a trusted proxy the last entry of X-Forwarded-For counts, the one that the proxy wrote itself: those before it
 * came with the request and may say anything.
 */
export function clientAddress(request: IncomingMessage, trustProxy: boolean): ClientAddress {
  const socketAddress = withoutMapping(request.socket.remoteAddress ?? "");
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",");
  const last = trustProxy ? withoutPort(forwarded.split(",").at(-1)?.trim() ?? "") : "";
  const address = isIP(last) === 0 ? socketAddress : withoutMapping(last);
  const wasPassedOn = forwarded !== "" || request.headers["forwarded"] !== undefined;
  return { address, isLocal: isLoopback(address) && (trustProxy || !wasPassedOn) };
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const isLoopback = (address: string): boolean => isIP(address) !== 0 && loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4");

const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");

const withoutPort = (address: string): string => address.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
