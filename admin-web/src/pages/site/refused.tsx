import { Box, Card, Code, Stack, Text } from "@mantine/core";
import { formatCount } from "../../format.ts";
import { isolated, t, translated } from "../../language.ts";
import { pages } from "../../paths.ts";
import type { Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { Fact, Facts, Moment } from "../../ui/base/facts.tsx";
import { Rows } from "../../ui/base/layout.tsx";
import { Dimmed, rich, Section, EmptyState } from "../../ui/base/page.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { PagedList } from "../../ui/table/data-table.tsx";
import type { Site } from "./use-site.ts";

/** The last refused requests of the site's sender, with advice. `isQuiet`: nothing is drawn while there is none. */
export function RefusedSection({ site, isQuiet }: { site: Site; isQuiet: boolean }) {
  const list = useLiveList("sites.refused", { siteId: site.id, limit: 10 }, { every: lookEveryMs });
  if (isQuiet && list.data?.pages.some(({ items }) => items.length > 0) !== true) return null;
  return (
    <Section
      title={t("Refused requests")}
      lead={t("Requests with this site's key or to its address that were refused. They send nothing.")}
    >
      <PagedList
        query={list}
        what={t("the refused requests")}
        empty={
          <EmptyState title={t("Nothing was refused")}>
            {t("The last 1,000 refused requests are listed here, each with what to do.")}
          </EmptyState>
        }
      >
        {(items) => (
          <Card padding={0}>
            <Rows>
              {[...new Set(items.map(({ text }) => text))].map((reason, _, all) => (
                <Box component="li" key={reason} px="md" py="sm" style={{ overflowWrap: "anywhere" }}>
                  <Refusal
                    requests={items.filter(({ text }) => text === reason)}
                    isTold={all.length === 1}
                    acceptedAt={site.lastEventAt ?? ""}
                    isWhole={!list.hasNextPage}
                    site={site}
                  />
                </Box>
              ))}
            </Rows>
          </Card>
        )}
      </PagedList>
    </Section>
  );
}

const lookEveryMs = 15_000;

type RefusedRequest = Outputs["sites"]["refused"]["items"][number];

interface RefusalProps {
  /** Refused for one reason, the newest first. */
  requests: readonly RefusedRequest[];
  /** The only reason, which the page's head names while it lasts. */
  isTold: boolean;
  /** When the site's last event was accepted; an empty text before the first one. */
  acceptedAt: string;
  /** Whether these are all. */
  isWhole: boolean;
  site: Pick<Site, "id" | "sourceType">;
}

function Refusal({ requests, isTold, acceptedAt, isWhole, site: { id, sourceType } }: RefusalProps) {
  const [newest] = requests;
  if (newest === undefined) return null;
  const count = requests.reduce((sum, { skipped }) => sum + 1 + skipped, 0);
  const isPast = newest.at < acceptedAt;
  return (
    <Stack gap={4}>
      {isPast ? (
        <Text>
          {rich(
            t("{count, plural, one {# request was} other {#{more} requests were}} refused until <0/>; later ones are accepted.", {
              count,
              more: !isWhole && "+",
            }),
            <Moment at={newest.at} seconds />,
          )}
        </Text>
      ) : (
        <>
          <Text fw={600}>
            {!isTold && translated(newest.text)} {isWhole && `${t("{count, plural, one {# request} other {# requests}}", { count })}.`}
          </Text>
          <Text>
            {translated(newest.action)}{" "}
            {sourceType === "generic" && newest.because === "invalid_signature" && (
              <TextLink {...pages.topic("authentication")}>{t("How to sign requests")}</TextLink>
            )}
            {/* The shop signs with the site's own secret. */}
            {sourceType === "woocommerce" && newest.because === "invalid_signature" && (
              <TextLink {...pages.site(id, "keys")}>{t("Open Keys")}</TextLink>
            )}
          </Text>
        </>
      )}
      {requests.map((request) => (
        <Request key={request.id} {...request} />
      ))}
    </Stack>
  );
}

const Request = ({ at, status, event, bytes, sha256, headers, start, skipped }: RefusedRequest) => (
  <details>
    <Box component="summary" w="fit-content" fz="sm" c="var(--mantine-color-anchor)" style={{ cursor: "pointer" }}>
      <Moment at={at} seconds />
      {["", ...(event === "" ? [] : [isolated(event)]), status].join(" · ")}
    </Box>
    {skipped > 0 && (
      <Dimmed>
        {t("{skipped, plural, one {# more request} other {# more requests}} came right after it, too fast to be listed.", { skipped })}
      </Dimmed>
    )}
    <Facts>
      <Fact name={t("Length")}>
        {bytes === null ? t("The body was not read completely") : t("{bytes} bytes", { bytes: formatCount(bytes) })}
      </Fact>
      <Fact name={t("SHA-256")}>{sha256 !== null && <Code>{sha256}</Code>}</Fact>
      <Fact name={t("Begins with")}>{start !== null && start !== "" && <Code block>{start}</Code>}</Fact>
      {Object.entries(headers ?? {}).map(([name, value]) => (
        <Fact key={name} name={name}>
          <Code>{value}</Code>
        </Fact>
      ))}
    </Facts>
    {headers === null && <Dimmed>{t("Headers and body may contain customers' data: only operators and owners see them.")}</Dimmed>}
  </details>
);
