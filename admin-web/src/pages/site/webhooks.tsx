import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { later } from "../../ui/base/later.tsx";
import { Section, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useSiteName } from "../../ui/base/site-names.tsx";
import { hasText, isFiltered, onlyRows } from "../../ui/list/list-filters.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { AddEndpointLink, type Endpoint, endpointName, EndpointState, EndpointUrl, formatMs, rate } from "../../ui/site/endpoints.tsx";
import type { Column } from "../../ui/table/data-table.tsx";
import type { SiteSecret } from "./use-site.ts";

const SecretsTable = later(async () => (await import("./secrets.tsx")).SecretsTable);

type WebhooksSectionProps = Partial<Record<"siteId" | "search", string | undefined>> & { secrets?: SiteSecret[] };

/** The addresses that are told of the statuses of messages: those of all sites that match, or with the `secrets` that sign these requests, those of a site's tab. */
export function WebhooksSection({ siteId, search, secrets }: WebhooksSectionProps) {
  const siteName = useSiteName();
  const mayChange = useMay("operator");
  const list = useLiveList("webhooks.list", { siteId, limit: 50 });
  const endpoints = { ...list, data: list.data && onlyRows(list.data, (one) => hasText(search, one.url, siteName(one.siteId))) };
  const isOfAll = secrets === undefined;
  const add = mayChange && !isOfAll && <AddEndpointLink siteId={siteId} variant="light" size="xs" />;
  return (
    <Section title={isOfAll ? t("Endpoints of all sites") : t("Endpoints of this site")} actions={add}>
      <PagedTable
        label={t("Endpoints")}
        query={endpoints}
        what={t("the endpoints")}
        empty={<NoEndpoint isOfAll={isOfAll} />}
        {...(isOfAll && { filtered: isFiltered({ siteId, search }) && null })}
        columns={isOfAll ? [...columns, { ...ofSite, cell: (one) => siteName(one.siteId) }] : columns}
        rowLink={({ id }) => pages.endpoint(id)}
      />
      {siteId !== undefined && secrets?.some(({ kind }) => kind === "outbound_secret") && (
        <SecretsTable label={t("Endpoint secret")} kinds={outboundKinds} siteId={siteId} secrets={secrets} />
      )}
    </Section>
  );
}

const outboundKinds = ["outbound_secret" as const];

/** Its button opens the form of the page of all endpoints, which stays with the first one's secret. A site's tab has its own beside the heading. */
export const NoEndpoint = ({ isOfAll }: { isOfAll: boolean }) => (
  <EmptyState title={t("No endpoints yet")} action={useMay("operator") && isOfAll && <AddEndpointLink />}>
    {rich(
      t(
        "An endpoint is an address of your backend that is notified when a message is sent, is delivered, is read or fails. {value} The documentation has <0>code to receive webhooks</0>.",
        {
          value: useMay("operator")
            ? t("Add one, give it the secret, then send it a test event.")
            : t("Operators and owners can add endpoints."),
        },
      ),
      <TextLink {...pages.topic("webhooks")} />,
    )}
  </EmptyState>
);

const ofSite = { name: t("Site"), kind: "short", isNarrow: true } as const;

const columns: Column<Endpoint>[] = [
  { name: t("URL"), kind: "title", cell: (endpoint) => <EndpointUrl url={endpointName(endpoint)} /> },
  { name: t("State"), kind: "status", cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  { name: t("Delivered"), kind: "short", cell: rate },
  { name: t("p95"), kind: "short", cell: ({ p95Ms }) => p95Ms !== null && formatMs(p95Ms) },
];
