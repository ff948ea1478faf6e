import { Group } from "@mantine/core";
import { useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { AskAbout } from "../../ui/assistant/assistant-button.tsx";
import { ButtonLink } from "../../ui/base/buttons.tsx";
import { DialogButton } from "../../ui/base/dialogs.tsx";
import { siteTitle, tableOf } from "../../ui/base/labels.ts";
import { Awaiting, later, part } from "../../ui/base/later.tsx";
import { MoreActions } from "../../ui/base/more-actions.tsx";
import { ObjectPage } from "../../ui/base/object-page.tsx";
import { PageTabs } from "../../ui/base/page-tabs.tsx";
import { Section, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { HoldButton } from "../../ui/message/hold.tsx";
import { TestMessageButton } from "../../ui/message/test-message-button.tsx";
import { ProblemsSection } from "../../ui/problem/problems.tsx";
import { ListSkeleton } from "../../ui/table/data-table.tsx";
import labels from "./labels.json";
import { type SiteTab, siteTabs } from "./route.ts";
import { isNew, SiteState } from "./site-state.tsx";
import { type Site, type SiteSecret, type Topic } from "./use-site.ts";

// Each tab loads when it is opened.
const Connect = part(async () => (await import("./connect.tsx")).Connect);
const ReadyBindings = part(async () => (await import("./ready-bindings.tsx")).ReadyBindings);
const SecretsSection = part(async () => (await import("./secrets.tsx")).SecretsSection);
const RecipientsSection = part(async () => (await import("./recipients.tsx")).RecipientsSection);
const WebhooksSection = part(async () => (await import("./webhooks.tsx")).WebhooksSection);
const Settings = part(async () => (await import("./site-settings.tsx")).Settings);
const BacklogSection = later(async () => (await import("../../ui/list/backlog.tsx")).BacklogSection);

/** Whether no signed request has come yet, or the shop has not been asked for its orders yet. */
const isAwaited = (site: Site | undefined) => site !== undefined && (site.connectedAt === null || site.reconcile?.lastRunAt === null);

/** How often a page that waits for the shop looks again, and one that does not. */
const pollMs = 3_000;
const restMs = 15_000;

const listsOfSite = [
  { to: paths.log, label: t("All messages") },
  { to: paths.events, label: t("Events") },
  { to: paths.scheduled, label: t("Scheduled") },
  { to: paths.bindings, label: t("Bindings") },
];

const back = { to: paths.sites, label: t("Sites") };

const tabLabels: Record<SiteTab, string> = tableOf(labels.tabs);

export function SitePage() {
  const { siteId } = useParams({ from: `/signed-in${paths.site}` });
  const query = trpc.sites.get.useQuery(
    { id: siteId },
    { refetchInterval: ({ state }) => (isAwaited(state.data?.site) ? pollMs : restMs) },
  );
  const mayChange = useMay("operator");
  return (
    <ObjectPage
      {...{ query, back }}
      {...{ kind: t("Site"), what: t("the site"), missing: t("Site not found") }}
      head={({ site, held }) => ({
        title: siteTitle(site),
        lead: <SiteState site={site} held={held} />,
        actions: mayChange && <SiteActions key={siteId} site={site} />,
      })}
    >
      {(data) => <SiteTabs key={siteId} {...data} />}
    </ObjectPage>
  );
}

function SiteTabs({ site, secrets, topics }: { site: Site; secrets: SiteSecret[]; topics: Topic[] }) {
  const { tab } = useSearch({ from: `/signed-in${paths.site}` });
  const mayChange = useMay("operator");
  // A new site begins with its connection, and stays there when the first event comes.
  const [usual] = useState<SiteTab>(isNew(site) ? "connect" : "overview");
  const tabs = siteTabs.filter((name) => mayChange || name !== "messages").map((name) => ({ name, label: tabLabels[name] }));
  const open = tabs.find(({ name }) => name === tab)?.name ?? usual;
  return (
    <>
      <PageTabs tabs={tabs} open={open} lists={listsOfSite} search={{ siteId: site.id }} />
      <Awaiting fallback={<ListSkeleton what={t("the site")} />}>
        {open === "overview" && <Overview site={site} />}
        {open === "connect" && <Connect site={site} topics={topics} />}
        {open === "messages" && (
          <Section
            title={t("Ready messages")}
            lead={t("One click submits the chosen templates and creates their bindings. The messages go to the customer.")}
          >
            <ReadyBindings site={site} />
          </Section>
        )}
        {open === "keys" && <SecretsSection site={site} secrets={secrets} />}
        {open === "recipients" && <RecipientsSection siteId={site.id} />}
        {open === "webhooks" && <WebhooksSection siteId={site.id} secrets={secrets} />}
        {open === "settings" && <Settings site={site} />}
      </Awaiting>
    </>
  );
}

const CopySetup = part(async () => (await import("./copy-setup.tsx")).CopySetup);

const SiteActions = ({ site }: { site: Site }) => (
  <Group gap="sm" align="flex-start">
    <HoldButton site={site} />
    <TestMessageButton tested={{ siteId: site.id }} />
    <MoreActions>
      <DialogButton label={t("Copy this set-up to…")} title={t("Copy this set-up to…")} isWide>
        {(close) => <CopySetup siteId={site.id} onClose={close} />}
      </DialogButton>
    </MoreActions>
  </Group>
);

const Overview = ({ site: { id: siteId, ...site } }: { site: Site }) => (
  <>
    {isNew(site) && (
      <EmptyState title={t("No events yet")} action={<ButtonLink {...pages.site(siteId, "connect")}>{t("Connect this site")}</ButtonLink>}>
        {site.sourceType === "generic"
          ? t("The first event comes once your backend posts to this site's address. Connect has the address, the key and the steps.")
          : t("The first event comes once your shop posts its orders to this site's address. Connect has the address and the steps.")}
      </EmptyState>
    )}
    <ProblemsSection siteId={siteId} />
    <BacklogSection sites={{ siteId }} />
    <AskAbout label={t("Ask the assistant")} siteId={siteId} />
  </>
);
