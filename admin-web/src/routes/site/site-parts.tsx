import { useMay } from "../../session/me.ts";
import { Section } from "../../ui/page/section.tsx";
import { DeleteSite } from "./delete-site.tsx";
import { RecipientsSection } from "./recipients/recipients-section.tsx";
import { SecretsSection } from "./secrets/secrets-section.tsx";
import { SenderSection } from "./sender-section.tsx";
import { DetailsForm } from "./settings/details-form.tsx";
import { SiteFacts } from "./settings/site-facts.tsx";
import { SiteSwitches } from "./settings/site-switches.tsx";
import type { Site, SiteSecret } from "./site.ts";
import classes from "./site-parts.module.css";

/** The site itself on one side, on the other what its backend and its messages need. */
export function SiteParts({ site, secrets }: { site: Site; secrets: SiteSecret[] }) {
  const mayChange = useMay("operator");
  return (
    <div className={classes["parts"]}>
      <div className={classes["column"]}>
        {mayChange && <SiteSwitches site={site} />}
        <Section title="Details">{mayChange ? <DetailsForm site={site} /> : <SiteFacts site={site} />}</Section>
      </div>
      <div className={classes["column"]}>
        <SenderSection site={site} />
        <SecretsSection siteId={site.id} secrets={secrets} />
        <RecipientsSection siteId={site.id} />
        {mayChange && <DeleteSite site={site} />}
      </div>
    </div>
  );
}
