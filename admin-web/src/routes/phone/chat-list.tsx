import { Badge, Card, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { Moment } from "../../ui/moment.tsx";
import type { Chat } from "./chats.ts";
import classes from "./phone-page.module.css";

/** Whoever was written to, the last first. */
export function ChatList({ chats, open }: { chats: Chat[]; open: string | undefined }) {
  return (
    <Card withBorder padding={0}>
      <ul className={classes["chats"]} aria-label="Chats">
        {chats.map((chat) => (
          <li key={chat.to}>
            <Link
              to={paths.phone}
              search={{ to: chat.to }}
              replace
              className={classes["entry"]}
              aria-current={chat.to === open ? "true" : undefined}
            >
              <span className={classes["who"]}>{chat.to}</span>
              <Text span size="xs" c="dimmed">
                <Moment at={chat.newest.at} />
              </Text>
              <Text span size="sm" c="dimmed" truncate className={classes["words"] ?? ""}>
                {chat.newest.body}
              </Text>
              {chat.unread > 0 && (
                <Badge size="sm" color="teal.9" aria-label={`${chat.unread} unread`}>
                  {chat.unread}
                </Badge>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
