import { NativeSelect, Stack } from "@mantine/core";
import type { RecipientStrategy } from "shared/core/recipient";
import { PhoneInput } from "../../../ui/form/phone-input.tsx";
import { recipientNames } from "../../../ui/recipient-words.ts";
import type { BindingForm } from "../use-binding-form.ts";
import { PathInput } from "./path-input.tsx";
import { phonesFirst } from "./phones-first.ts";
import type { LearnedField } from "./use-learned-fields.ts";

const strategies = Object.keys(recipientNames) as RecipientStrategy["strategy"][];

const hints: Record<RecipientStrategy["strategy"], string> = {
  customer: "The phone that the event has at customer.phone_e164",
  site_recipients: "Every active phone of the site's list, a message each",
  test: "For trying things out: set it on the site's page",
  static_phone: "Always the same phone, such as the shop's own",
  field_path: "The phone that the event has at a path of your choice",
};

/** Who gets the message. */
export function RecipientFields({ form: { draft, faults, change }, fields }: { form: BindingForm; fields: readonly LearnedField[] }) {
  const { strategy, phone, phonePath } = draft;
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Recipient"
        description={hints[strategy]}
        inputWrapperOrder={["label", "input", "description", "error"]}
        data={strategies.map((value) => ({ value, label: recipientNames[value] }))}
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
