import { useLocalStorage } from "@mantine/hooks";
import type { SiteMode } from "shared/core/site";

/** Whether lists and figures show live sites or test sites: the choice that this browser remembers, and how to change it. */
export function useSiteMode(): [SiteMode, (mode: SiteMode) => void] {
  const [mode, choose] = useLocalStorage<SiteMode>({ key: "tidings-site-mode", defaultValue: "live", getInitialValueInEffect: false });
  return [mode === "test" ? mode : "live", choose];
}

/** What a search names is found wherever it is. */
const named = ["siteId", "siteMode", "search", "phone", "eventId", "orderId", "bindingId", "operationId"];

/** A page's search parameters as the choice narrows them. */
export function useModeOf<Search extends object>(search: Search): Search & { siteMode?: SiteMode | undefined } {
  const [siteMode] = useSiteMode();
  return named.some((name) => (search as Record<string, unknown>)[name] !== undefined) ? search : { ...search, siteMode };
}
