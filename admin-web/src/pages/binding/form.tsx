import { Alert, NativeSelect, Stack, Text } from "@mantine/core";
import { parseEventName } from "shared/core/event";
import type { RecipientStrategy } from "shared/core/recipient";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { PhoneInput } from "../../ui/inputs.tsx";
import { recipientLabels } from "../../ui/labels.ts";
import { Section } from "../../ui/page.tsx";
import { useAllTemplates, TemplateSelect, EventNameInput, SiteSelect } from "../../ui/pickers.tsx";
import { TemplateStatusBadge } from "../../ui/template-words.tsx";
import { type LearnedField, PathInput, phonesFirst } from "./slot-fields.tsx";
import type { BindingForm } from "./use-binding-form.ts";
import classes from "./binding.module.css";

/** What has to be there before a binding can be made, where it is not. */
export function FirstThings() {
  const sites = trpc.sites.list.useQuery({ limit: 200 });
  const { templates, isLoading } = useAllTemplates();
  const lacksSite = sites.data?.items.length === 0;
  const lacksTemplate = !isLoading && templates.length === 0;
  if (!lacksSite && !lacksTemplate) return null;
  return (
    <Alert color="yellow" title="Something comes first">
      {lacksSite && (
        <>
          Events come from a site, and there is none yet. <TextLink to={paths.sites}>Make a site</TextLink>.{" "}
        </>
      )}
      {lacksTemplate && (
        <>
          What is sent is a template, and there is none yet. <TextLink to={paths.newTemplate}>Write a template</TextLink>.
        </>
      )}
    </Alert>
  );
}

/** What is sent, and who gets it. */
export function MessageFields({ form, fields }: { form: BindingForm; fields: readonly LearnedField[] }) {
  return (
    <Section title="Send">
      <div className={classes["pair"]}>
        <TemplateField form={form} />
        <RecipientFields form={form} fields={fields} />
      </div>
    </Section>
  );
}

const strategies = Object.keys(recipientLabels) as RecipientStrategy["strategy"][];

const hints: Record<RecipientStrategy["strategy"], string> = {
  customer: "The phone that the event has at customer.phone_e164",
  site_recipients: "Every active phone of the site's list, a message each",
  test: "For trying things out: set it on the site's page",
  static_phone: "Always the same phone, such as the shop's own",
  field_path: "The phone that the event has at a path of your choice",
};

/** Who gets the message. */
function RecipientFields({ form: { draft, faults, change }, fields }: { form: BindingForm; fields: readonly LearnedField[] }) {
  const { strategy, phone, phonePath } = draft;
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Recipient"
        description={hints[strategy]}
        inputWrapperOrder={["label", "input", "description", "error"]}
        data={strategies.map((value) => ({ value, label: recipientLabels[value] }))}
        value={strategy}
        error={faults["recipient"]}
        onChange={(event) => change({ strategy: strategies.find((each) => each === event.currentTarget.value) ?? "customer" })}
      />
      {strategy === "static_phone" && (
        <PhoneInput
          label="Phone"
          required
          defaultValue={phone}
          error={faults["recipient.phone"]}
          onChange={(value) => change({ phone: value })}
        />
      )}
      {strategy === "field_path" && (
        <PathInput
          label="Path of the phone"
          required
          fields={phonesFirst(fields)}
          value={phonePath}
          error={faults["recipient.path"]}
          onChange={(value) => change({ phonePath: value })}
        />
      )}
    </Stack>
  );
}

/** Which message is sent. */
function TemplateField({ form: { draft, template, faults, change } }: { form: BindingForm }) {
  return (
    <div>
      <TemplateSelect
        required
        allowDeselect={false}
        value={draft.templateId === "" ? null : draft.templateId}
        error={faults["templateId"]}
        onChange={(value) => change({ templateId: value ?? "" })}
      />
      {template !== undefined && template.status !== "approved" && (
        <Text size="sm" mt="xs" component="div">
          <TemplateStatusBadge status={template.status} /> The binding can be saved, but nothing is sent until the template is approved.{" "}
          <TextLink to={paths.template} params={{ templateId: template.id }}>
            Open the template
          </TextLink>
        </Text>
      )}
    </div>
  );
}

interface TriggerFieldsProps {
  form: BindingForm;
  /** Whether no such event has come yet; undefined until that is known. */
  isUnseen: boolean | undefined;
}

/** What sets the message off. */
export function TriggerFields({ form: { draft, faults, change }, isUnseen }: TriggerFieldsProps) {
  const { siteId, event } = draft;
  return (
    <Section title="When">
      <div className={classes["pair"]}>
        <SiteSelect
          placeholder="Choose a site"
          required
          allowDeselect={false}
          value={siteId === "" ? null : siteId}
          error={faults["siteId"]}
          onChange={(value) => change({ siteId: value ?? "" })}
        />
        <EventNameInput siteId={siteId} required value={event} error={faults["event"]} onChange={(value) => change({ event: value })} />
      </div>
      {isUnseen === true && parseEventName(event) !== null && (
        <Text size="sm" c="dimmed">
          No {event} has come from this site yet. It can be set up all the same: type the paths, or paste an event into the preview.
        </Text>
      )}
    </Section>
  );
}
