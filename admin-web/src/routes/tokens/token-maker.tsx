import { useMe } from "../../session/me.ts";
import { trpc } from "../../trpc.ts";

/** Whose token it is; only an owner sees those of others, and may look people up. */
export function TokenMaker({ userId }: { userId: string }) {
  const { user } = useMe();
  const people = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  if (userId === user.id) return "you";
  return people.data?.items.find(({ id }) => id === userId)?.email ?? "somebody else";
}
