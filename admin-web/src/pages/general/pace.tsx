import { NumberInput, Card } from "@mantine/core";
import { updateSettingsInput } from "shared/core/input/sites";
import { formatCount, formatCountOf } from "../../format.ts";
import { useMay, WithSettings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { Section } from "../../ui/page.tsx";

interface Pace {
  messagesPerSecond: number | null;
  retryHours: number;
}

export function PaceSection() {
  const mayChange = useMay("owner");
  return (
    <Section title="Pace and retries" lead="How fast messages leave, and for how long they are tried again.">
      <Card withBorder>
        <WithSettings>{(settings) => (mayChange ? <PaceForm {...settings} /> : <PaceFacts {...settings} />)}</WithSettings>
      </Card>
    </Section>
  );
}

const PaceFacts = ({ messagesPerSecond, retryHours }: Pace) => (
  <Facts>
    <Fact name="Messages per second">{messagesPerSecond === null ? "Not limited" : `At most ${formatCount(messagesPerSecond)}`}</Fact>
    <Fact name="Tried again for">{retryHours === 0 ? "Not at all" : formatCountOf(retryHours, "hour")}</Fact>
  </Facts>
);

/** An empty field for no limit. */
interface PaceFields {
  messagesPerSecond: number | "";
  retryHours: number | "";
}

function PaceForm({ messagesPerSecond, retryHours }: Pace) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const initialValues: PaceFields = { messagesPerSecond: messagesPerSecond ?? "", retryHours };
  const form = useInputForm({
    initialValues,
    toInput: (values: PaceFields) => ({
      messagesPerSecond: values.messagesPerSecond === "" ? null : values.messagesPerSecond,
      // Empty is no number of hours, which the check then says.
      retryHours: values.retryHours === "" ? Number.NaN : values.retryHours,
    }),
    check: by(updateSettingsInput),
    submit: update.mutateAsync,
  });
  const number = { maw: "26rem", clampBehavior: "none", allowDecimal: false, allowNegative: false, hideControls: true } as const;
  return (
    <InputForm form={form} label="Pace and retries" failure="Pace and retries were not changed">
      <NumberInput
        label="Messages per second"
        description="WhatsApp sees no more than this for each number, whatever is queued. Empty: as fast as possible"
        {...number}
        {...form.at("messagesPerSecond")}
      />
      <NumberInput
        label="Hours of retries"
        description="A message that WhatsApp refuses for a while is tried again for that long. 0: never"
        {...number}
        {...form.at("retryHours")}
      />
      <FormButtons form={form} submit="Save pace" saved="Saved" />
    </InputForm>
  );
}
