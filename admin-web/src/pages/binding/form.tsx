import { Alert, NativeSelect, Stack, Text } from "@mantine/core";
import { parseEventName } from "shared/core/event";
import type { RecipientStrategy } from "shared/core/recipient";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { choicesOf, recipientLabels, tableOf } from "../../ui/base/labels.ts";
import { Columns } from "../../ui/base/layout.tsx";
import { Dimmed, Section, rich } from "../../ui/base/page.tsx";
import { PhoneInput } from "../../ui/form/inputs.tsx";
import { TemplateSelect, EventNameInput, SiteSelect } from "../../ui/form/pickers.tsx";
import { TemplateStatusBadge } from "../../ui/template/template-labels.tsx";
import { useAllTemplates } from "../../ui/template/templates.ts";
import { ConditionFields } from "./condition-fields.tsx";
import labels from "./labels.json";
import { type LearnedField, PathInput, phonesFirst } from "./slot-fields.tsx";
import type { BindingForm } from "./use-binding-form.ts";

/** Says which site or template is needed first. */
export function FirstThings() {
  const sites = trpc.sites.list.useQuery({ limit: 200 });
  const { templates, isLoading } = useAllTemplates();
  const lacksSite = sites.data?.items.length === 0;
  const lacksTemplate = !isLoading && templates.length === 0;
  if (!lacksSite && !lacksTemplate) return null;
  return (
    <Alert color="yellow" title={t("Before you start")}>
      {lacksSite && rich(t("Events come from a site, and there is none yet. <0>Add a site</0>. "), <TextLink to={paths.sites} />)}
      {lacksTemplate &&
        rich(t("Messages are made from templates, and there is none yet. <0>Create a template</0>."), <TextLink to={paths.newTemplate} />)}
    </Alert>
  );
}

export const MessageFields = ({ form, fields }: { form: BindingForm; fields: readonly LearnedField[] }) => (
  <Section title={t("Send")}>
    <Columns least="18rem">
      <div>
        <TemplateSelect required allowDeselect={false} {...form.at("templateId")} value={form.values.templateId || null} />
        {form.template !== undefined && form.template.status !== "approved" && (
          <Text mt="xs" component="div">
            <TemplateStatusBadge status={form.template.status} />
            {rich(
              t(" You can save the binding, but nothing is sent until the template is approved. <0>Open the template</0>"),
              <TextLink {...pages.template(form.template.id)} />,
            )}
          </Text>
        )}
      </div>
      <RecipientFields form={form} fields={fields} />
    </Columns>
  </Section>
);

const strategies = choicesOf(recipientLabels);

const hints: Record<RecipientStrategy["strategy"], string> = tableOf(labels.recipients);

function RecipientFields({ form, fields }: { form: BindingForm; fields: readonly LearnedField[] }) {
  const { strategy } = form.values.recipient;
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t("Recipient")}
        description={hints[strategy]}
        data={strategies}
        {...form.at("recipient.strategy")}
        error={form.faults["recipient"]}
      />
      {strategy === "static_phone" && <PhoneInput label={t("Phone")} required {...form.at("recipient.phone")} />}
      {strategy === "field_path" && (
        <PathInput label={t("Path of the phone number")} required fields={phonesFirst(fields)} {...form.at("recipient.path")} />
      )}
    </Stack>
  );
}

interface TriggerFieldsProps {
  form: BindingForm;
  /** No such event was received yet; undefined while loading. */
  isUnseen: boolean | undefined;
  fields: readonly LearnedField[];
  /** The chosen event as JSON text; none while it is not known. */
  payload: string | null | undefined;
}

export function TriggerFields({ form, isUnseen, fields, payload }: TriggerFieldsProps) {
  const { siteId, event } = form.values;
  return (
    <Section title={t("When")}>
      <Columns least="18rem">
        <SiteSelect placeholder={t("Choose a site")} required allowDeselect={false} {...form.at("siteId")} value={siteId || null} />
        <EventNameInput siteId={siteId} required {...form.at("event")} />
      </Columns>
      {isUnseen === true && parseEventName(event) !== null && (
        <Dimmed>
          {t("This site has not sent {event} yet. You can set it up now: type the paths, or paste an event into the preview.", { event })}
        </Dimmed>
      )}
      <ConditionFields form={form} fields={fields} payload={payload} />
    </Section>
  );
}
