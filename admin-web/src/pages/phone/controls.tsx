import { Card, Group, Select } from "@mantine/core";
import { useState } from "react";
import { t } from "../../language.ts";
import { type Inputs, trpc } from "../../trpc.ts";
import { SecondaryButton } from "../../ui/base/buttons.tsx";
import { doing } from "../../ui/base/fields.ts";
import { tableOf } from "../../ui/base/labels.ts";
import { Dimmed, Section, FailureNotice } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useAllTemplates } from "../../ui/template/templates.ts";
import labels from "./control-labels.json";
import controls from "./controls.json";

type Control = Inputs["sandbox"]["control"];
type Without<C, Key extends PropertyKey> = C extends unknown ? Omit<C, Key> : never;
/** A thing that can be played; the person or the template is chosen beside it. */
type Act = Without<Control, "phone" | "id">;

const acts = controls as Partial<Record<string, Act>>;
const choices = Object.values(tableOf(labels)).map(({ group, ...own }) => ({
  group,
  items: Object.entries(own).map(([value, label]) => ({ value, label })),
}));

/** Plays what WhatsApp and people do besides reading and answering. `phone`: the person of the open chat. */
export function Controls({ phone }: { phone: string | undefined }) {
  const [name, setName] = useState<string | null>(null);
  const [templateId, setTemplate] = useState<string | null>(null);
  const { templates } = useAllTemplates();
  const play = trpc.sandbox.control.useMutation();
  const act = acts[name ?? ""];
  const input = act && whole(act, phone, templateId);
  if (!useMay("operator")) return null;
  return (
    <Section
      title={t("What happens")}
      lead={t("Play what WhatsApp and people do, and see what becomes of messages, problems and the setup.")}
    >
      <Card component="form" onSubmit={doing(() => input && play.mutate(input))}>
        <Group gap="sm" align="end">
          <Select
            label={t("Event")}
            data={choices}
            value={name}
            onChange={(value) => {
              play.reset();
              setName(value);
            }}
            searchable
            flex={1}
            miw="14rem"
          />
          {act?.of === "template" && (
            <Select
              label={t("Template")}
              data={templates
                .filter(({ platformId }) => platformId !== null)
                .map(({ id, name, language }) => ({ value: id, label: `${name} (${language})` }))}
              value={templateId}
              onChange={setTemplate}
              searchable
              miw="12rem"
            />
          )}
          <SecondaryButton type="submit" disabled={input === undefined} loading={play.isPending}>
            {t("Let it happen")}
          </SecondaryButton>
        </Group>
        <Dimmed mt="xs" role="status">
          {play.isSuccess ? t("Done.") : act?.of === "person" && phone === undefined && t("Open a person's chat first.")}
        </Dimmed>
        <FailureNotice title={t("It did not happen")} of={play} />
      </Card>
    </Section>
  );
}

/** Undefined while its person or template is not chosen. */
function whole(control: Act, phone: string | undefined, id: string | null): Control | undefined {
  if (control.of === "person") return phone === undefined ? undefined : { ...control, phone };
  if (control.of === "template") return id === null ? undefined : { ...control, id };
  return control;
}
