import { useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { useMay } from "../../session/me.ts";
import { Page } from "../../ui/page/page.tsx";
import { CreateSiteButton } from "./create-site-button.tsx";
import { SiteList } from "./site-list.tsx";

export function SitesPage() {
  const { search } = useSearch({ from: `/signed-in${paths.sites}` });
  const mayCreate = useMay("operator");
  return (
    <Page
      title="Sites"
      lead="The shops, clinics and products whose backends post events here, each with a key and a secret of its own."
      actions={mayCreate && <CreateSiteButton />}
    >
      <SiteList search={search} />
    </Page>
  );
}
