import { Button, Group, Stack, Code, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useSearch, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { TextFilter } from "../../ui/filters.tsx";
import { sourceTypeLabels } from "../../ui/labels.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { Status } from "../../ui/status-badge.tsx";
import { CreateSiteForm, type MadeSite, TwoSecrets } from "./create-site.tsx";
import { readSitesSearch } from "./route.ts";

export function SitesPage() {
  const { search } = useSearch({ from: `/signed-in${paths.sites}` });
  const mayCreate = useMay("operator");
  return (
    <Page
      title={t("Sites")}
      lead={t("The shops, clinics and products whose backends send events, each with its own key and secret.")}
      actions={mayCreate && <CreateSiteButton />}
    >
      <SiteList search={search} />
    </Page>
  );
}

/** Creates a site; opens its page at the end. */
function CreateSiteButton() {
  const navigate = useNavigate();
  const { create } = useSearch({ from: `/signed-in${paths.sites}` });
  const [made, setMade] = useState<MadeSite | null>(null);
  const show = (isOpen: boolean) =>
    void navigate({ to: paths.sites, search: (now) => readSitesSearch({ ...now, create: isOpen }), replace: true });
  const close = () => show(false);
  return (
    <>
      <Button onClick={() => show(true)}>{t("Add site")}</Button>
      <Dialog
        title={made === null ? t("Add site") : t("Key and secret of {name}", { name: made.site.name })}
        // A dialog that was closed before the answer opens again: the secrets are shown nowhere else.
        opened={create === true || made !== null}
        onClose={close}
        insists={made !== null}
      >
        {made === null ? (
          <CreateSiteForm onMade={setMade} onCancel={close} />
        ) : (
          <TwoSecrets made={made} onSaved={() => void navigate({ to: paths.site, params: { siteId: made.site.id } })} />
        )}
      </Dialog>
    </>
  );
}

/** The number of sites from which on there is a search. */
const many = 10;

function SiteList({ search }: { search: string | undefined }) {
  const sites = trpc.sites.list.useInfiniteQuery(
    { search, limit: 50 },
    { getNextPageParam: (page) => page.nextCursor, placeholderData: keepPreviousData },
  );
  const navigate = useNavigate();
  const look = (text: string) => void navigate({ to: paths.sites, search: readSitesSearch({ search: text }), replace: true });
  const isLong = sites.data !== undefined && (sites.hasNextPage || sites.data.pages.flatMap((page) => page.items).length >= many);
  return (
    <Stack gap="sm">
      {(isLong || search !== undefined) && (
        <TextFilter aria-label={t("Search sites")} placeholder={t("Name or URL")} maw="24rem" value={search} onChange={look} />
      )}
      <PagedList
        query={sites}
        what={t("the sites")}
        empty={search === undefined && !sites.isPlaceholderData ? <NoSite /> : <NothingFound />}
      >
        {(items) => <SiteTable sites={items} />}
      </PagedList>
    </Stack>
  );
}

function NoSite() {
  const mayCreate = useMay("operator");
  return (
    <EmptyState title={t("No sites yet")}>
      {t("A site is one shop, clinic or product whose backend sends events. {value}", {
        value: mayCreate ? t("Add one, then give its backend the key and the secret.") : t("Operators and owners can add sites."),
      })}
      {mayCreate && (
        <Group justify="center" mt="sm">
          <ButtonLink to={paths.sites} search={{ create: true }} replace size="xs">
            {t("Add first site")}
          </ButtonLink>
        </Group>
      )}
    </EmptyState>
  );
}

function NothingFound() {
  return (
    <EmptyState title={t("No matching sites")}>
      <TextLink to={paths.sites}>{t("Show all sites")}</TextLink>
    </EmptyState>
  );
}

type Site = Outputs["sites"]["list"]["items"][number];

const columns: Column<Site>[] = [
  { name: t("Name"), kind: "title", cell: (site) => <SiteName {...site} /> },
  { name: t("Source type"), kind: "short", cell: ({ sourceType }) => sourceTypeLabels[sourceType] },
  {
    name: t("State"),
    kind: "short",
    cell: (site) => <State {...site} />,
  },
  { name: t("Last event"), kind: "short", cell: ({ lastEventAt }) => (lastEventAt === null ? t("None yet") : <Moment at={lastEventAt} />) },
  { name: t("API key"), kind: "short", cell: ({ apiKeyHint }) => <Code w="fit-content">{apiKeyHint}</Code> },
];

function State({ enabled, holdMessages }: Site) {
  if (!enabled) return <Status tone="failed">{t("refuses events")}</Status>;
  return holdMessages ? <Status tone="attention">{t("paused")}</Status> : <Status tone="delivered">{t("on")}</Status>;
}

function SiteTable({ sites }: { sites: Site[] }) {
  return <DataTable label={t("Sites")} columns={columns} rows={sites} rowKey={({ id }) => id} />;
}

function SiteName({ id, name, url }: Site) {
  return (
    <>
      <TextLink to={paths.site} params={{ siteId: id }} fw={600} underline="hover">
        {name}
      </TextLink>
      <Text size="sm" c="dimmed">
        {url}
      </Text>
    </>
  );
}
