import { Table } from "@mantine/core";
import { slotGroups } from "shared/core/binding";
import type { SlotTexts } from "shared/core/template/slots";
import type { VariableMap, VarSpec } from "shared/core/variables";
import classes from "./example-binding.module.css";

const groupWords = { header: "Header", body: "Text", buttonUrl: "Button" } as const;

/** Each slot, where its value comes from, and what the example order has there. */
export function VariableTable({ map, slots }: { map: VariableMap; slots: SlotTexts | undefined }) {
  return (
    <Table aria-label="Values of the slots" className={classes["table"]} horizontalSpacing={0} verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Slot</Table.Th>
          <Table.Th scope="col">Filled from</Table.Th>
          <Table.Th scope="col">In the example</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {slotGroups.flatMap(({ mapKey, part }) =>
          Object.entries(map[mapKey] ?? {}).map(([slot, spec], index) => (
            <Table.Tr key={`${mapKey} ${slot}`}>
              <Table.Td>
                {groupWords[part]} {`{{${slot}}}`}
              </Table.Td>
              <Table.Td>{sourceOf(spec)}</Table.Td>
              <Table.Td>{slots?.[part][index] ?? "…"}</Table.Td>
            </Table.Tr>
          )),
        )}
      </Table.Tbody>
    </Table>
  );
}

function sourceOf(spec: VarSpec): string {
  switch (spec.source) {
    case "field":
      return spec.path;
    case "expression":
      return spec.expr;
    case "static":
      return `“${spec.value}”`;
  }
}
