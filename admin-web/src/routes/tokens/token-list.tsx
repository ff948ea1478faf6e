import { Button, Group, Text } from "@mantine/core";
import { type Outputs, trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { GoodUntil } from "../../ui/good-until.tsx";
import { Moment } from "../../ui/moment.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { PagedList } from "../../ui/states/paged-list.tsx";
import { RevokeToken } from "./revoke-token.tsx";
import { TokenMaker } from "./token-maker.tsx";

type Token = Outputs["tokens"]["list"]["items"][number];

const maker: Column<Token> = { name: "Made by", cell: ({ createdBy }) => <TokenMaker userId={createdBy} /> };

const columns = (isOwner: boolean): Column<Token>[] => [
  { name: "Name", kind: "title", cell: (token) => <TokenName {...token} /> },
  { name: "Role", kind: "short", cell: ({ role }) => role },
  ...(isOwner ? [maker] : []),
  { name: "Made", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Last used", kind: "short", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Moment at={lastUsedAt} />) },
  { name: "Good until", kind: "short", cell: ({ expiresAt }) => <GoodUntil at={expiresAt} /> },
  { name: "Actions", kind: "buttons", cell: ({ id, name }) => <RevokeToken id={id} name={name} /> },
];

export function TokenList({ isOwner, onMake }: { isOwner: boolean; onMake: () => void }) {
  const tokens = trpc.tokens.list.useInfiniteQuery({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList
      query={tokens}
      what="the tokens"
      empty={
        <EmptyState title="No token yet">
          Make one for each program that is to use the admin API, so that each can be ended alone.
          <Group justify="center" mt="sm">
            <Button size="xs" onClick={onMake}>
              Make the first token
            </Button>
          </Group>
        </EmptyState>
      }
    >
      {(items) => <DataTable label="Access tokens" columns={columns(isOwner)} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function TokenName({ name, hint }: Token) {
  return (
    <>
      {name}{" "}
      <Text component="span" size="sm" c="dimmed">
        …{hint}
      </Text>
    </>
  );
}
