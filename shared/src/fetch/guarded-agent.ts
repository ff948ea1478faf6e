import { lookup } from "node:dns/promises";
import type { BlockList } from "node:net";
import { Agent, buildConnector } from "undici";
import { mayReach } from "./public-address.ts";

/** The name leads to no address that may be reached. */
export class AddressRefused extends Error {
  override name = "AddressRefused";
}

/**
 * Connects to addresses of the internet only, whatever a name resolves to: the address that is checked is the one that is dialled, so a name that is
 * resolved again in between changes nothing.
 * @param allowed Networks that may be reached although they are private.
 */
export function guardedAgent(allowed: BlockList | null, connectTimeoutMs = 10_000): Agent {
  const dial = buildConnector({ timeout: connectTimeoutMs });
  const connect = async (options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
    const found = await reachable(options.hostname, allowed);
    if (typeof found === "string") dial({ ...options, hostname: found }, callback);
    else callback(found, null);
  };
  return new Agent({ connect: (options, callback) => void connect(options, callback) });
}

/** An address of the host's that may be dialled, or why there is none. */
async function reachable(hostname: string, allowed: BlockList | null): Promise<string | Error> {
  try {
    const found = await lookup(hostname.replace(/^\[(.*)\]$/, "$1"), { all: true });
    const address = found.find((candidate) => mayReach(candidate.address, allowed))?.address;
    return address ?? new AddressRefused(`${hostname} is not an address of the internet`);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
