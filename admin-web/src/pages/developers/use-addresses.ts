import type { KnownAddresses } from "shared/docs/topics";
import { trpc } from "../../trpc.ts";

/** The addresses at which this installation is reached. */
export function useAddresses(): KnownAddresses & { isPending: boolean } {
  const settings = trpc.settings.get.useQuery();
  return { gateway: settings.data?.gatewayUrl ?? null, admin: location.origin, isPending: settings.isPending };
}
