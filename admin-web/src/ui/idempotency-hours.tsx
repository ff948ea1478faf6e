import { NumberInput, type NumberInputProps } from "@mantine/core";

/** What a new site gets unless somebody says otherwise: a night's outage is bridged. */
export const suggestedIdempotencyHours = 24;

/** Empty: five minutes. */
export const IdempotencyHoursInput = (props: NumberInputProps) => (
  <NumberInput
    label="Hours an idempotency key counts"
    description="For that long a backend may post an event again: a repeated key gets the first answer, and sends nothing. Empty: 5 minutes"
    min={1}
    max={168}
    clampBehavior="none"
    allowDecimal={false}
    allowNegative={false}
    hideControls
    {...props}
  />
);
