import type { ReactNode } from "react";
import { t } from "../../language.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { LabelBadge } from "./facts.tsx";
import { siteTitle } from "./labels.ts";

type Site = Outputs["sites"]["list"]["items"][number];

/** The account's first sites; `isWhole`: there are no others but deleted ones. */
export function useSites() {
  const { data } = trpc.sites.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  return {
    sites: data?.items ?? [],
    byId: new Map(data?.items.map((site) => [site.id, site])),
    isWhole: data?.nextCursor === null,
    isKnown: data !== undefined,
  };
}

/** The name of a site by its ID, marked for a test site. */
export function useSiteName(): (id: string) => string {
  const { byId, isWhole } = useSites();
  return (id) => {
    const site = byId.get(id);
    return site !== undefined ? siteTitle(site) : isWhole ? t("Deleted site") : "…";
  };
}

/** The same for lists, with a badge, and with the name of a deleted site as long as its log is kept. */
export function useSiteLabel(): (id: string) => ReactNode {
  const { byId, isWhole, isKnown } = useSites();
  return (id) => {
    const site = byId.get(id);
    return site !== undefined ? <SiteLabel {...site} /> : isKnown ? <OtherSite id={id} isDeleted={isWhole} /> : "…";
  };
}

function OtherSite({ id, isDeleted }: { id: string; isDeleted: boolean }) {
  const { data } = trpc.sites.list.useQuery({ ids: [id] }, { staleTime: Infinity });
  const [site] = data?.items ?? [];
  if (site === undefined) return data === undefined ? "…" : t("Deleted site");
  return isDeleted ? t("{name} (deleted)", { name: site.name }) : <SiteLabel {...site} />;
}

export const SiteLabel = ({ name, mode }: Pick<Site, "name" | "mode">) => (
  <>
    {name} <TestSiteMark mode={mode} />
  </>
);

export const TestSiteMark = ({ mode }: Pick<Site, "mode">) => mode === "test" && <LabelBadge>{t("test site")}</LabelBadge>;
