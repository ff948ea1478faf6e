import { Card, Code, Group, Stack, Switch, Text, NativeSelect } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { countries } from "shared/core/country";
import { t, locale } from "../../language.ts";
import { paths } from "../../paths.ts";
import { cache, settled, trpc, trpcClient } from "../../trpc.ts";
import { ConfirmDialog, ConfirmForm, DialogButton, manyThings } from "../../ui/base/dialogs.tsx";
import { ticked } from "../../ui/base/fields.ts";
import { tableOf } from "../../ui/base/labels.ts";
import { Loading, Section, readableMessage, rich } from "../../ui/base/page.tsx";
import { Sentences } from "../../ui/base/sentences.tsx";
import { useSwitch } from "../../ui/base/use-switch.ts";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { countOf } from "../../ui/list/count.ts";
import { guides } from "./guides.ts";
import labels from "./labels.json";
import { phonesOf, tellPhones } from "./site-facts.tsx";
import { type Site, useUpdateSite } from "./use-site.ts";

export const SiteSwitches = ({ site }: { site: Site }) => (
  <Section title={t("Status")}>
    <Card>
      <Stack gap="lg">
        <AcceptSwitch site={site} />
        {switchNames.map((member) => (
          <SiteSwitch key={member} site={site} member={member} />
        ))}
      </Stack>
    </Card>
  </Section>
);

const switches = tableOf(labels.switches);
const switchNames = Object.keys(switches) as (keyof typeof switches)[];

/** Accepts or refuses events. A refusal loses them, so it is confirmed; a pause is the gentler way. */
function AcceptSwitch({ site }: { site: Site }) {
  const update = useUpdateSite();
  const [isAsking, { open, close }] = useDisclosure(false);
  return (
    <>
      <Switch
        label={t("Accept events")}
        description={
          site.enabled ? t("Events are stored and their messages are sent.") : t("Events are refused with 403: nothing is stored or sent.")
        }
        checked={site.enabled}
        error={!isAsking && update.error && t("Not changed: {message}", { message: readableMessage(update.error.message) })}
        onChange={(event) => (event.currentTarget.checked ? update.mutate({ id: site.id, enabled: true }) : open())}
      />
      <ConfirmDialog
        title={t("Refuse the events of {name}?", { name: site.name })}
        action={t("Refuse events")}
        opened={isAsking}
        onClose={close}
        onConfirm={() => update.mutateAsync({ id: site.id, enabled: false })}
      >
        <Sentences
          spacing="xs"
          of={[
            rich(
              t("The sender gets 403 <0>{value}</0>. Nothing is stored: its backend has to send the events again later.", {
                value: '{"error":"Site is disabled"}',
              }),
              <Code />,
            ),
            guides[site.sourceType].refused,
            rich(t("<0/> now. Messages that become due meanwhile fail."), <WaitingCount siteId={site.id} />),
            t("To keep the events and send their messages later, pause sending instead."),
          ]}
        />
      </ConfirmDialog>
    </>
  );
}

function WaitingCount({ siteId }: { siteId: string }) {
  const { data } = trpc.stats.backlog.useQuery({ siteId });
  if (data === undefined) return t("Messages may wait");
  const count = data.queued + data.scheduled;
  return t("{count, plural, =0 {No messages wait} one {# message waits} other {# messages wait}}", { count });
}

function SiteSwitch({ site, member }: { site: Site; member: keyof typeof switches }) {
  const { label, on, off } = switches[member];
  const update = useUpdateSite();
  const shown = useSwitch(site[member], (isOn) => update.mutateAsync({ id: site.id, [member]: isOn }));
  return <Switch label={label} description={shown.checked ? on : off} {...shown} />;
}

export const DeleteSite = ({ site }: { site: Site }) => (
  <Section title={t("Delete")} isCard>
    <Group justify="space-between" gap="sm">
      <Text>{t("To stop the site for a while, pause sending.")}</Text>
      <DialogButton label={t("Delete site")} title={t("Delete {name}?", { name: site.name })}>
        {(close) => <DeleteSiteForm site={site} onClose={close} />}
      </DialogButton>
    </Group>
  </Section>
);

/** Counts what goes with the site. */
function DeleteSiteForm({ site: { id: siteId, name }, onClose }: { site: Site; onClose: () => void }) {
  const navigate = useNavigate();
  const [all, endless] = [{ siteId, limit: 200 }, { staleTime: 10_000 }];
  const lists = [
    trpc.bindings.list.useQuery(all, endless),
    trpc.recipients.list.useQuery(all, endless),
    trpc.webhooks.list.useQuery(all, endless),
  ];
  const deliveries = useQuery({ ...countOf("webhookDeliveries.count", { siteId }), ...endless }).data;
  const keys = trpc.sites.get.useQuery({ id: siteId }, endless).data?.secrets.length ?? 0;
  const backlog = trpc.stats.backlog.useQuery({ siteId }).data;
  const [bindings = 0, recipients = 0, endpoints = 0] = lists.map(({ data }) => data?.items.length ?? 0);
  const isKnown = backlog !== undefined && deliveries !== undefined && lists.every(({ data }) => data !== undefined);
  const waiting = (backlog?.queued ?? 0) + (backlog?.scheduled ?? 0);
  const reached = bindings + recipients + endpoints + keys + (deliveries?.total ?? 0) + waiting;
  const confirm = async () => {
    await settled(trpcClient.sites.delete.mutate({ id: siteId }), cache.sites.list);
    // Unsaved changes have no site any more.
    await navigate({ to: paths.sites, ignoreBlocker: true });
  };
  return (
    <ConfirmForm
      action={t("Delete site")}
      typed={reached > manyThings ? name : undefined}
      isCounting={!isKnown}
      onClose={onClose}
      onConfirm={confirm}
    >
      {!isKnown && <Loading what={t("the count")} />}
      <Sentences
        hidden={!isKnown}
        spacing="xs"
        of={[
          t("{keys, plural, one {# key or secret stops} other {# keys and secrets stop}} working: events are refused with 401.", { keys }),
          bindings + recipients + endpoints > 0 &&
            t(
              "Deleted for good: {bindings, plural, one {# binding} other {# bindings}}, {recipients, plural, one {# recipient} other {# recipients}}, {endpoints, plural, one {# endpoint} other {# endpoints}} with {deliveries, plural, one {# delivery} other {#{more} deliveries}}.",
              { bindings, recipients, endpoints, deliveries: deliveries?.total ?? 0, more: deliveries?.more === true && "+" },
            ),
          t("{waiting, plural, =0 {No messages wait.} one {# waiting message is cancelled.} other {# waiting messages are cancelled.}}", {
            waiting,
          }),
          t("Its events and messages stay until the retention period ends."),
        ]}
      />
    </ConfirmForm>
  );
}

/** How phones are read that people have typed. */
export function PhonesSection({ site }: { site: Site }) {
  const form = useInputForm({
    initialValues: phonesOf(site),
    toInput: ({ country, normalizePhones, stored }) => ({
      id: site.id,
      country: country === "" ? null : country,
      // An unchanged value is left out: sent again, it would apply to events that the backend posts too.
      ...(normalizePhones !== stored && { normalizePhones }),
    }),
    check: by("updateSiteInput"),
    submit: useUpdateSite().mutateAsync,
    afterSave: (sent) => ({ ...sent, stored: sent.normalizePhones }),
    versioned: { updatedAt: site.updatedAt, fill: (current: Site) => phonesOf(current), tell: tellPhones },
  });
  return (
    <Section title={t("Phone numbers")} isCard>
      <InputForm form={form} label={t("Phone numbers")} failure={t("The phone numbers' settings were not saved")} saved={t("Saved")}>
        <Switch
          label={t("Add country codes")}
          description={
            form.values.normalizePhones
              ? t("Numbers as people type them, such as 0171 2345678, get their country code.")
              : t("Only numbers with + and the country code get messages; others are dropped and listed in the event.")
          }
          {...ticked(form.values.normalizePhones, (isOn) => form.change({ normalizePhones: isOn }))}
        />
        <NativeSelect
          label={t("Country")}
          description={t("Used for numbers without a country code when the event does not name the customer's country")}
          data={countryChoices()}
          {...form.at("country")}
        />
      </InputForm>
    </Section>
  );
}

function countryChoices() {
  const names = new Intl.DisplayNames(locale, { type: "region" });
  const choices = countries.map((value) => ({ value, label: names.of(value) ?? value }));
  return [{ value: "", label: t("None") }, ...choices.toSorted((a, b) => a.label.localeCompare(b.label))];
}
