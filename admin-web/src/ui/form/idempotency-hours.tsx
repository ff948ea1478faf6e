import { NumberInput, type NumberInputProps } from "@mantine/core";
import { t } from "../../language.ts";

/** Takes whole numbers from 0; what is out of bounds is told and not changed. */
export const WholeNumberInput = NumberInput.withProps({
  clampBehavior: "none",
  allowDecimal: false,
  allowNegative: false,
  hideControls: true,
});

/** The default of a new site, long enough for an outage overnight. */
export const suggestedIdempotencyHours = 24;

/** The hours; an empty field means five minutes. */
export const IdempotencyHoursInput = (props: NumberInputProps) => (
  <WholeNumberInput
    label={t("Keep idempotency keys for (hours)")}
    description={t(
      "A backend may repeat an event for this long: a repeated key gets the first answer and sends nothing. Empty: 5 minutes.",
    )}
    min={1}
    max={168}
    {...props}
  />
);
