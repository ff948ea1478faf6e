import { Checkbox, type CheckboxGroupProps, Group, Select } from "@mantine/core";
import { weekdays } from "shared/core/schedule/describe";
import { formatWeekday } from "../../format.ts";
import { t } from "../../language.ts";

/** Days of the week by their numbers, of which Monday is 1. */
export const WeekdayChoice = (props: Omit<CheckboxGroupProps, "children">) => (
  <Checkbox.Group {...props}>
    <Group gap="sm" mt={4}>
      {weekdays.map((_, day) => (
        <Checkbox key={day} value={String(day + 1)} label={formatWeekday(day, "short")} aria-label={formatWeekday(day, "long")} />
      ))}
    </Group>
  </Checkbox.Group>
);

/** A time zone. The list is drawn only when it opens: it has hundreds of options, which may have a clock each. */
export const ZoneSelect = Select.withProps({
  label: t("Time zone"),
  searchable: true,
  allowDeselect: false,
  nothingFoundMessage: t("No such time zone: try a larger city nearby"),
  comboboxProps: { keepMounted: false },
});
