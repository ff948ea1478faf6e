import { NumberInput, type NumberInputProps } from "@mantine/core";
import { t } from "../language.ts";

/** The default of a new site, long enough for an outage overnight. */
export const suggestedIdempotencyHours = 24;

/** The hours; an empty field means five minutes. */
export const IdempotencyHoursInput = (props: NumberInputProps) => (
  <NumberInput
    label={t("Keep idempotency keys for (hours)")}
    description={t("A backend may repeat an event for this long: a repeated key gets the first answer and sends nothing. Empty: 5 minutes")}
    min={1}
    max={168}
    clampBehavior="none"
    allowDecimal={false}
    allowNegative={false}
    hideControls
    {...props}
  />
);
