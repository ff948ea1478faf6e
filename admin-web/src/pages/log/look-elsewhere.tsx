import { Text } from "@mantine/core";
import { readLogSearch } from "shared/core/log-search";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";

/** Above messages that a search found: events that match too and sent none. */
export function WithoutMessage({ search }: { search: string }) {
  const events = trpc.events.list.useQuery({ search, limit: 50 });
  const silent =
    events.data?.items.filter((event) => event.recipientsSent + event.recipientsFailed + event.recipientsScheduled === 0) ?? [];
  if (silent.length === 0) return null;
  return (
    <Text mb={8}>
      {t("{count, plural, one {# event matches too and sent no message.} other {# events match too and sent no message.}}", {
        count: silent.length,
      })}{" "}
      <TextLink to={paths.events} search={{ search }}>
        {t("Show the events")}
      </TextLink>
    </Text>
  );
}

interface LookElsewhereProps {
  filters: { search?: string | undefined; siteId?: string | undefined; from?: string | undefined; to?: string | undefined };
  from: "events" | "log";
}

/** Other places that may answer a search without results: events without a message, people who opted out, refused requests, other times. */
export function LookElsewhere({ filters: { search = "", siteId, from, to }, from: list }: LookElsewhereProps) {
  const seesPhones = useMay("seePhones");
  const as = readLogSearch(search);
  const phone = "phone" in as && seesPhones ? as.phone : undefined;
  const optOuts = trpc.optOuts.list.useQuery({ phone: phone ?? "", limit: 1 }, { enabled: phone !== undefined });
  const events = trpc.events.list.useQuery({ search, limit: 5 }, { enabled: list === "log" });
  const settings = trpc.settings.get.useQuery();
  const found = list === "log" ? (events.data?.items ?? []) : [];
  // Such texts are no words of the search (`shared/core/search`), which the page need not load for this.
  const isShort = "waMessageId" in as && !/[a-z\d]{3}|[^ -~]/i.test(search);
  const isBounded = siteId !== undefined || from !== undefined || to !== undefined;
  return (
    <>
      {phone !== undefined && optOuts.data !== undefined && optOuts.data.items.length > 0 && (
        <Text>
          {rich(
            t("{phone} has opted out, so it gets no messages. <0>Show this customer</0>", { phone }),
            <TextLink {...pages.customer(phone)} />,
          )}
        </Text>
      )}
      {found.length > 0 && (
        <Text>
          {found.length === 5
            ? t("At least 5 events match")
            : t("{count, plural, one {# event matches} other {# events match}}", { count: found.length })}
          {found.some(({ chat }) => chat === "skipped_no_phone") &&
            t(", of which at least one had no valid phone number, such as one without its country code")}
          .{" "}
          <TextLink to={paths.events} search={{ search }}>
            {t("Show the events")}
          </TextLink>
        </Text>
      )}
      <Text>
        {settings.data?.encryptPayloads === true
          ? seesPhones
            ? t("This account encrypts its payloads: search by a full phone number, a whole order number or an ID. ")
            : t("This account encrypts its payloads: search by a whole order number or an ID. ")
          : seesPhones
            ? t("Search by order number, name, e-mail address, part of a phone number, a value of the event, or an ID. ")
            : t("Search by order number, a value of the event, or an ID. ")}
        {isShort && t("A text without three letters or digits in a row only finds the order whose whole number or ID it is. ")}
        {isBounded && (
          <TextLink to={list === "log" ? paths.log : paths.events} search={{ search }}>
            {t("Search all sites and all time")}
          </TextLink>
        )}
      </Text>
      {siteId !== undefined && (
        <Text>
          {rich(
            t("The sender may have been refused: <0>see the site's refused requests</0>"),
            <TextLink {...pages.site(siteId, "connect")} />,
          )}
        </Text>
      )}
    </>
  );
}
