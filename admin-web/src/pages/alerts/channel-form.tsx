import { Checkbox, NativeSelect, Stack, Switch, TextInput } from "@mantine/core";
import { type ChannelKind, channelKinds } from "shared/core/alert/alert";
import { addChannelInput, updateChannelInput } from "shared/core/input/alerts";
import { type ProblemKind, problemKinds, usualKinds } from "shared/core/problem/problem";
import { t } from "../../language.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { UrlInput } from "../../ui/inputs.tsx";
import { kindLabel } from "../../ui/problem-kinds.ts";

export const channelLabels: Record<ChannelKind, string> = {
  email: t("E-mail"),
  slack: t("Slack or a compatible webhook"),
  teams: t("Microsoft Teams"),
  pagerduty: t("PagerDuty"),
  webhook: t("Signed webhook"),
};

interface ChannelFormProps {
  mailFrom: string | null;
  onAdded: (secret: string | undefined) => void;
  onCancel: () => void;
}

export function ChannelForm({ mailFrom, onAdded, onCancel }: ChannelFormProps) {
  const add = trpc.alerts.addChannel.useMutation();
  const initialValues = {
    kind: (mailFrom === null ? "slack" : "email") as ChannelKind,
    address: "",
    url: "",
    routingKey: "",
    ...usualChoice,
  };
  const form = useInputForm({
    initialValues,
    toInput: ({ kind, name: called, isChosen, kinds, ...fields }) => {
      const { name: member } = fieldOf(kind, mailFrom);
      const named = { ...(called.trim() !== "" && { name: called }), ...(isChosen && { kinds }) };
      return { kind, [member]: fields[member].trim(), ...named } as Parameters<typeof add.mutateAsync>[0];
    },
    check: by(addChannelInput),
    submit: add.mutateAsync,
    onSaved: async ({ secret }) => {
      onAdded(secret);
      await cache.alerts.settings.invalidate();
    },
  });
  const { name, ...words } = fieldOf(form.values.kind, mailFrom);
  const offered = channelKinds.filter((kind) => kind !== "email" || mailFrom !== null);
  return (
    <InputForm form={form} failure={t("The channel was not added")}>
      <NativeSelect label={t("Channel")} data={offered.map((value) => ({ value, label: channelLabels[value] }))} {...form.at("kind")} />
      {name === "url" ? (
        <UrlInput {...words} data-autofocus {...form.at(name)} />
      ) : (
        <TextInput key={name} {...words} autoComplete="off" required data-autofocus {...form.at(name)} />
      )}
      <ChoiceFields values={form.values} change={form.change} name={form.at("name")} placeholder={channelLabels[form.values.kind]} />
      <FormButtons form={form} submit={t("Add channel")} onCancel={onCancel} />
    </InputForm>
  );
}

/** The member of the input that says where a channel of a kind is, and its words. */
const fieldOf = (kind: ChannelKind, mailFrom: string | null) =>
  (
    {
      email: {
        name: "address",
        label: t("E-mail address"),
        description: t("{value} sends a confirmation link to it first. Alerts follow once someone opens the link.", {
          value: mailFrom ?? "",
        }),
        type: "email",
      },
      pagerduty: {
        name: "routingKey",
        label: t("Integration key"),
        description: t("Of a service's integration “Events API V2”. An incident opens with a problem and is resolved with it"),
      },
      slack: {
        name: "url",
        label: t("Address"),
        description: t("An incoming webhook of Slack or of a compatible chat: it gets a JSON object with a text"),
        placeholder: "https://hooks.slack.com/services/…",
      },
      teams: {
        name: "url",
        label: t("Address"),
        description: t("The address of a workflow “Send webhook alerts to a channel” of Teams: it gets an Adaptive Card"),
        placeholder: "https://….logic.azure.com/workflows/…",
      },
      webhook: {
        name: "url",
        label: t("Address"),
        description: t("An address of your program, reachable from the internet over https. It gets JSON, signed like other webhooks"),
        placeholder: "https://ops.example/alerts",
      },
    } as const
  )[kind];

/** The name of a channel, and the kinds that it is told of if it is not told of the usual ones. */
interface Choice {
  name: string;
  isChosen: boolean;
  kinds: ProblemKind[];
}

const usualChoice: Choice = { name: "", isChosen: false, kinds: [...usualKinds] };

export const isUsual = (kinds: readonly ProblemKind[]): boolean =>
  kinds.length === usualKinds.length && usualKinds.every((kind) => kinds.includes(kind));

interface ChoiceFieldsProps {
  values: Choice;
  change: (changes: Partial<Choice>) => void;
  name: object;
  placeholder: string;
}

const ChoiceFields = ({ values, change, name, placeholder }: ChoiceFieldsProps) => (
  <>
    <TextInput label={t("Name")} placeholder={placeholder} maxLength={80} {...name} />
    <Switch
      label={t("Only some kinds of problems")}
      checked={values.isChosen}
      onChange={({ currentTarget }) => change({ isChosen: currentTarget.checked })}
    />
    {values.isChosen && (
      <Checkbox.Group label={t("Kinds")} value={values.kinds} onChange={(kinds) => change({ kinds: kinds as ProblemKind[] })}>
        <Stack gap={6} mt={4} mah="14rem" style={{ overflowY: "auto" }}>
          {problemKinds.map((kind) => (
            <Checkbox key={kind} value={kind} label={kindLabel(kind)} />
          ))}
        </Stack>
      </Checkbox.Group>
    )}
  </>
);

export function EditForm({
  channel: { id, name, kind, kinds },
  onClose,
}: {
  channel: Outputs["alerts"]["settings"]["channels"][number];
  onClose: () => void;
}) {
  const update = trpc.alerts.updateChannel.useMutation();
  const initialValues: Choice = { name, isChosen: !isUsual(kinds), kinds };
  const form = useInputForm({
    initialValues,
    toInput: (values) => ({ id, name: values.name, kinds: values.isChosen ? values.kinds : null }),
    check: by(updateChannelInput),
    submit: update.mutateAsync,
    onSaved: async () => {
      onClose();
      await cache.alerts.settings.invalidate();
    },
  });
  return (
    <InputForm form={form} failure={t("The channel was not changed")}>
      <ChoiceFields values={form.values} change={form.change} name={form.at("name")} placeholder={channelLabels[kind]} />
      <FormButtons form={form} submit={t("Save channel")} onCancel={onClose} />
    </InputForm>
  );
}
