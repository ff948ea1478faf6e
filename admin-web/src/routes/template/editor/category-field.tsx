import { Radio, Stack } from "@mantine/core";
import type { Draft } from "./use-draft.ts";

/** Which of the two it is, with what each means. */
export function CategoryField({ draft: { values, change, errorAt } }: { draft: Draft }) {
  return (
    <Radio.Group
      label="Category"
      required
      error={errorAt("category")}
      description="The platform decides in the end: a utility template that advertises is approved as marketing."
      value={values.category}
      onChange={(category) => change({ category })}
    >
      <Stack gap="xs" mt="xs">
        <Radio
          data-field="category"
          value="UTILITY"
          label="Utility"
          description="About something that the recipient did: an order, a delivery, a payment, an appointment. Nothing that sells."
        />
        <Radio
          value="MARKETING"
          label="Marketing"
          description="Offers, vouchers, a cart that was left, news, and whatever mixes the two. Recipients can stop it, and the platform limits how much of it a person gets."
        />
      </Stack>
    </Radio.Group>
  );
}
