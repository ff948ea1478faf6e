import { Card, DataList } from "@mantine/core";
import { useMe } from "../../session/me.ts";
import { roleWords } from "../../ui/role-words.ts";

export function Profile() {
  const { user, account } = useMe();
  const items = [
    ["Name", user.name],
    ["E-mail", user.email],
    ["Account", account.name],
    ["Role", `${user.role}: ${roleWords[user.role]}`],
  ] as const;
  return (
    <Card withBorder>
      <DataList>
        {items.map(([label, value]) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue>{value}</DataList.ItemValue>
          </DataList.Item>
        ))}
      </DataList>
    </Card>
  );
}
