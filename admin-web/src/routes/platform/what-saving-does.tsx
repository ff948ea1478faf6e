import { List, Text } from "@mantine/core";

/** What comes of a change, said before it is made. */
export function WhatSavingDoes({ configured }: { configured: boolean }) {
  if (!configured) {
    return (
      <Text size="sm" c="dimmed">
        From then on events are sent. Set the callback below too, and sync the templates.
      </Text>
    );
  }
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        A change holds from the next message on
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>Another phone number: recipients see a new sender, in a new chat.</List.Item>
        <List.Item>
          Another business account: it has templates of its own. Sync the templates; messages of those that it lacks fail until it has them.
        </List.Item>
        <List.Item>Another app secret: callbacks that are signed with the old one are refused, and the platform repeats them.</List.Item>
        <List.Item>A stop by the platform ends, and the next message is tried.</List.Item>
      </List>
    </div>
  );
}
