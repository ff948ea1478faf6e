import { searchAmong, searchReader } from "../../ui/list/search-params.ts";

export const siteTabs = ["overview", "connect", "messages", "keys", "recipients", "webhooks", "settings"] as const;
export type SiteTab = (typeof siteTabs)[number];

export const readSiteSearch = searchReader({ tab: searchAmong(siteTabs) });
