import { Button, Card, Group, Select } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { t } from "../../language.ts";
import { useMay } from "../../session.tsx";
import { type Inputs, trpc } from "../../trpc.ts";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Dimmed, Section } from "../../ui/page.tsx";
import { useAllTemplates } from "../../ui/pickers.tsx";

type Control = Inputs["sandbox"]["control"];
type Without<C, Key extends PropertyKey> = C extends unknown ? Omit<C, Key> : never;
/** A thing that can be played; the person or the template is chosen beside it. */
type Act = readonly [label: string, control: Without<Control, "phone" | "id">];

const acts: readonly { group: string; acts: readonly Act[] }[] = [
  {
    group: t("This person"),
    acts: [
      [t("Hides the phone number"), { of: "person", phoneVisible: false }],
      [t("Shows the phone number"), { of: "person", phoneVisible: true }],
      [t("Is blocked by the business (130403)"), { of: "person", blocked: true }],
      [t("Is unblocked by the business"), { of: "person", blocked: false }],
      [t("Blocks the business: messages stay at sent"), { of: "person", blocksBusiness: true }],
      [t("Unblocks the business"), { of: "person", blocksBusiness: false }],
    ],
  },
  {
    group: t("A template"),
    acts: [
      [t("Becomes marketing in a day"), { of: "template", announceCategory: "MARKETING" }],
      [t("Becomes utility in a day"), { of: "template", announceCategory: "UTILITY" }],
      [t("Keeps its category"), { of: "template", announceCategory: null }],
      [t("Its messages are held for quality"), { of: "template", hold: true }],
      [t("Its held messages are released"), { of: "template", hold: false }],
    ],
  },
  {
    group: t("The account"),
    acts: [
      [t("Is warned"), { of: "news", news: "warning" }],
      [t("May send nothing for an hour"), { of: "news", news: "RESTRICTED_BIZ_INITIATED_MESSAGING" }],
      [t("Loses its utility templates"), { of: "news", news: "RESTRICTED_UTILITY_TEMPLATES" }],
      [t("Is disabled"), { of: "news", news: "DISABLE" }],
      [t("Is reinstated"), { of: "news", news: "REINSTATE" }],
      [t("No marketing on the usual way (131063)"), { of: "account", marketingOnMessages: false }],
      [t("Marketing on the usual way"), { of: "account", marketingOnMessages: true }],
      [t("No utility messages left today (131064)"), { of: "account", utilityCap: 0 }],
      [t("No cap on utility messages"), { of: "account", utilityCap: null }],
    ],
  },
  {
    group: t("The number"),
    acts: [
      [t("50 people in 24 hours"), { of: "account", limit: "TIER_50" }],
      [t("2,000 people in 24 hours"), { of: "account", limit: "TIER_2K" }],
      [t("Any number of people"), { of: "account", limit: "TIER_UNLIMITED" }],
      [t("Quality green"), { of: "account", quality: "GREEN" }],
      [t("Quality yellow"), { of: "account", quality: "YELLOW" }],
      [t("Quality red"), { of: "account", quality: "RED" }],
      [t("High throughput"), { of: "account", throughput: "HIGH" }],
      [t("Is limited"), { of: "account", canSend: "LIMITED" }],
      [t("Is not limited"), { of: "account", canSend: "AVAILABLE" }],
    ],
  },
  {
    group: t("Prices"),
    acts: [
      [t("Messages are free: the person has just written"), { of: "account", price: { type: "free_customer_service" } }],
      [t("Messages are free: the person came by an advertisement"), { of: "account", price: { type: "free_entry_point" } }],
      [t("Messages are charged as marketing"), { of: "account", price: { type: "regular", category: "marketing" } }],
      [t("Messages are charged as usual"), { of: "account", price: null }],
    ],
  },
];
const all = acts.flatMap((each) => each.acts);
const choices = acts.map(({ group, acts: own }) => ({
  group,
  items: own.map((act) => ({ value: String(all.indexOf(act)), label: act[0] })),
}));

/** Plays what WhatsApp and people do besides reading and answering. `phone`: the person of the open chat. */
export function Controls({ phone }: { phone: string | undefined }) {
  const [at, setAt] = useState<string | null>(null);
  const [templateId, setTemplate] = useState<string | null>(null);
  const { templates } = useAllTemplates();
  const play = trpc.sandbox.control.useMutation();
  const act = at === null ? undefined : all[Number(at)];
  const input = act && whole(act[1], phone, templateId);
  if (!useMay("operator")) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (input !== undefined) play.mutate(input);
  };
  return (
    <Section
      title={t("What happens")}
      lead={t("Play what WhatsApp and people do, and see what becomes of messages, problems and the setup.")}
    >
      <Card withBorder component="form" onSubmit={submit}>
        <Group gap="sm" align="end">
          <Select
            label={t("Event")}
            data={choices}
            value={at}
            onChange={(value) => {
              play.reset();
              setAt(value);
            }}
            searchable
            flex={1}
            miw="14rem"
          />
          {act?.[1].of === "template" && (
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
          <Button type="submit" variant="default" disabled={input === undefined} loading={play.isPending}>
            {t("Let it happen")}
          </Button>
        </Group>
        <Dimmed mt="xs" role="status">
          {play.isSuccess ? t("Done.") : act?.[1].of === "person" && phone === undefined && t("Open a person's chat first.")}
        </Dimmed>
        {play.error !== null && <FailureNotice title={t("It did not happen")} error={play.error} />}
      </Card>
    </Section>
  );
}

/** Undefined while its person or template is not chosen. */
function whole(control: Act[1], phone: string | undefined, id: string | null): Control | undefined {
  if (control.of === "person") return phone === undefined ? undefined : { ...control, phone };
  if (control.of === "template") return id === null ? undefined : { ...control, id };
  return control;
}
