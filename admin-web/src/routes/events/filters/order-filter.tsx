import { TextInput } from "@mantine/core";
import { isUuid } from "shared/core/uuid";
import { useTypedFilter } from "../../../ui/filters/use-typed-filter.ts";

/** Events of one order. What is no id does not filter, and is said. */
export function OrderFilter({ orderId, onChange }: { orderId: string | undefined; onChange: (orderId: string | null) => void }) {
  const [text, type] = useTypedFilter(orderId, (typed) => onChange(isUuid(typed.trim()) ? typed.trim() : null));
  const isWrong = text.trim() !== "" && !isUuid(text.trim());
  return (
    <TextInput
      label="Order id"
      placeholder="Any order"
      value={text}
      error={isWrong && "Give the order_id that the ingest answered"}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}
