import { Box, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { getUntypedClient, TRPCClientError } from "@trpc/client";
import { useState } from "react";
import { isAtLeast, type Role } from "shared/core/role";
import { type ApiDocument, entriesOf, type Entry, entryText } from "shared/docs/reference";
import { t, translated } from "../../language.ts";
import { pages } from "../../paths.ts";
import { useMe } from "../../session.tsx";
import { queryClient, trpcClient } from "../../trpc.ts";
import { monospace, SecondaryButton, TextLink } from "../../ui/base/buttons.tsx";
import { CodeBlock, prettyJson } from "../../ui/base/code-sample.tsx";
import { ConfirmButton } from "../../ui/base/dialogs.tsx";
import { bound } from "../../ui/base/fields.ts";
import { Rows } from "../../ui/base/layout.tsx";
import { Dimmed, Loaded, rich, Section, EmptyState } from "../../ui/base/page.tsx";
import { TextFilter } from "../../ui/list/filters.tsx";
import { wordsOf } from "./documentation.ts";
import { Prose, useScrollToHeading } from "./prose.tsx";
import classes from "./developers.module.css";

/** The server's own description of its API. */
const useDocument = () =>
  useQuery({
    queryKey: ["openapi"],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<ApiDocument> => {
      const answer = await fetch("/api/openapi.json", { signal });
      if (!answer.ok) throw new Error(String(answer.status));
      return (await answer.json()) as ApiDocument;
    },
  });

/** The entries with every word in their name, summary or input. */
const found = (document: ApiDocument, words: readonly string[]): Entry[] =>
  entriesOf(document).filter(({ path, operation }) => {
    const { summary, parameters, requestBody } = operation;
    const text = `${path} ${path.replaceAll(/[A-Z]/gu, " $&")} ${summary} ${JSON.stringify([parameters, requestBody])}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });

/** Every procedure of the API; the one of the address is open. */
export function Reference() {
  const query = useDocument();
  const [filter, setFilter] = useState<string>();
  const [token, setToken] = useState("");
  useScrollToHeading(query.data !== undefined);
  return (
    <Stack gap="lg">
      <Text>
        {rich(t("How to call them, and what each error code means: <0>REST and OpenAPI</0>."), <TextLink {...pages.topic("api")} />)}
      </Text>
      <TextFilter
        aria-label={t("Search the reference")}
        placeholder={t("Search the reference")}
        maw="32rem"
        value={filter}
        onChange={(text) => setFilter(text === "" ? undefined : text)}
      />
      <TextInput
        type="password"
        label={t("Access token for calls from this page")}
        description={t("Empty: calls have your own rights. It stays on this page.")}
        maw="32rem"
        {...bound(token, (text) => setToken(text.trim()))}
      />
      <Loaded query={query} what={t("the reference")}>
        {(document) => <Procedures document={document} words={wordsOf(filter ?? "")} token={token} />}
      </Loaded>
    </Stack>
  );
}

function Procedures({ document, words, token }: { document: ApiDocument; words: readonly string[]; token: string }) {
  const entries = found(document, words);
  const groups = [...new Set(entries.map(({ path }) => groupOf(path)))];
  if (entries.length === 0)
    return <EmptyState title={t("No procedure mentions that")}>{t("Try fewer words, or a part of one.")}</EmptyState>;
  return groups.map((group) => (
    <Section key={group} title={group}>
      <div>
        {entries
          .filter(({ path }) => groupOf(path) === group)
          .map((entry) => (
            <Procedure key={entry.path} document={document} entry={entry} token={token} />
          ))}
      </div>
    </Section>
  ));
}

const groupOf = (path: string): string => path.slice(0, path.indexOf("."));

function Procedure({ document, entry, token }: { document: ApiDocument; entry: Entry; token: string }) {
  const isOpen = useLocation({ select: ({ hash }) => hash === entry.path });
  const navigate = useNavigate();
  const toggle = (opens: boolean) => {
    if (opens !== isOpen)
      void navigate({ to: ".", hash: opens ? entry.path : "", replace: true, resetScroll: false, hashScrollIntoView: false });
  };
  return (
    <details id={entry.path} className={classes["procedure"]} open={isOpen} onToggle={({ currentTarget }) => toggle(currentTarget.open)}>
      <Group component="summary" gap="sm" mih={44} wrap="nowrap" fz="sm" style={{ cursor: "pointer" }}>
        <strong>{entry.path}</strong>
        <Dimmed span truncate dir="ltr">
          {entry.operation.summary}
        </Dimmed>
      </Group>
      {isOpen && (
        <Stack pb="lg">
          <Prose text={entryText(document, entry)} />
          <Console entry={entry} token={token} />
        </Stack>
      )}
    </details>
  );
}

type Answer = { isRefusal: boolean; text: string };

/** Calls the procedure with the rights of the session, or of a token. */
function Console({ entry: { path, method, address, operation }, token }: { entry: Entry; token: string }) {
  const { user, account } = useMe();
  const [input, setInput] = useState(() => JSON.stringify(operation["x-input"] ?? {}, null, 2));
  const call = useMutation({ mutationFn: () => (token === "" ? answerOf(path, method, input) : answerTo(token, address, input)) });
  const { data: answer, isPending } = call;
  const role = operation["x-role"] as Role | null;
  if (token === "" && role !== null && !isAtLeast(user.role, role))
    return <Dimmed>{t("To try it here takes the role {role}.", { role: translated(role) })}</Dimmed>;
  return (
    <Stack gap="sm">
      <Textarea
        label={t("Try it: the input as JSON")}
        description={t("The example's ids are of another account: put yours in their place.")}
        minRows={2}
        maxRows={16}
        spellCheck={false}
        styles={monospace}
        {...bound(input, setInput)}
      />
      <Group>
        {method === "GET" ? (
          <SecondaryButton loading={isPending} onClick={() => call.mutate()}>
            {t("Call {path}", { path })}
          </SecondaryButton>
        ) : (
          <ConfirmButton size="sm" label={t("Call {path}", { path })} title={t("Call {path}?", { path })} onConfirm={call.mutateAsync}>
            {token === ""
              ? t("This is no test: it changes {account}, with your rights, and stands in the audit under your name.", {
                  account: account.name,
                })
              : t("This is no test: it changes the token's account, with the token's rights.")}
          </ConfirmButton>
        )}
      </Group>
      <div role="status">
        {answer !== undefined && <CodeBlock code={answer.text} language="json" label={answer.isRefusal ? t("Refusal") : t("Answer")} />}
      </div>
    </Stack>
  );
}

async function answerOf(path: string, method: Entry["method"], text: string): Promise<Answer> {
  try {
    const input: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    const client = getUntypedClient(trpcClient);
    const output = method === "GET" ? await client.query(path, input) : await client.mutation(path, input);
    if (method === "POST") void queryClient.invalidateQueries();
    return { isRefusal: false, text: prettyJson(JSON.stringify(output)) };
  } catch (error) {
    const code = error instanceof TRPCClientError ? ((error.data as { code?: string } | null)?.code ?? null) : "BAD_REQUEST";
    return { isRefusal: true, text: prettyJson(JSON.stringify({ error: { code, message: String((error as Error).message) } })) };
  }
}

/** The same as a program calls it: a query may be posted too. */
async function answerTo(token: string, address: string, body: string): Promise<Answer> {
  try {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(address, { method: "POST", credentials: "omit", headers, body: body.trim() || "{}" });
    return { isRefusal: !answer.ok, text: prettyJson(await answer.text()) };
  } catch (error) {
    return { isRefusal: true, text: String((error as Error).message) };
  }
}

/** The procedures that a search of the whole documentation finds. */
export function ReferenceHits({ title, words }: { title: string; words: readonly string[] }) {
  const { data } = useDocument();
  const hits = data === undefined ? [] : found(data, words).slice(0, 20);
  if (hits.length === 0) return null;
  return (
    <Section title={title}>
      <Rows maw="46rem" aria-label={t("Procedures")}>
        {hits.map(({ path, operation }) => (
          <Box component="li" key={path} py="sm">
            <TextLink {...pages.topic("reference")} hash={path} fw={600}>
              {path}
            </TextLink>
            <Text>{operation.summary}</Text>
          </Box>
        ))}
      </Rows>
    </Section>
  );
}
