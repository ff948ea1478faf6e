import { BlockList } from "node:net";
import { type AdminClient, openAdmin } from "./admin.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";

export const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);

export interface News {
  kind: "partial" | "text" | "again" | "done" | "failed";
  partial?: unknown;
  text?: string;
  problems?: string[];
  proposal?: unknown;
  tokens?: number;
  message?: string;
}

export interface Followed {
  news: News[];
  /** The end of the stream: null, or the code of its error. */
  end: Promise<string | null>;
  leave: () => void;
}

/** Follows a prepared question, and collects the news. */
export function followQuestion(client: AdminClient, id: string): Followed {
  const news: News[] = [];
  let leave = (): void => undefined;
  const end = new Promise<string | null>((resolve) => {
    const subscription = client.assistant.follow.subscribe(
      { id },
      {
        onData: (one) => void news.push(one as News),
        onComplete: () => resolve(null),
        onError: ({ data }) => resolve(data?.code ?? "none"),
      },
    );
    leave = () => {
      subscription.unsubscribe();
      resolve("left");
    };
  });
  return { news, end, leave: () => leave() };
}

/** The whole answer to a prepared question. */
export async function answerOf(client: AdminClient, begun: Promise<{ use: { id: string } }>): Promise<News[]> {
  const { news, end } = followQuestion(client, (await begun).use.id);
  const code = await end;
  if (code !== null) throw new Error(`the stream ended with ${code}`);
  return news;
}

/** An admin server, a provider of the kind, and an owner who has agreed and whose account uses it. */
export async function openAssistant(kind: "openai" | "anthropic" = "openai") {
  const model: ModelServer = await startModelServer(kind);
  const admin = await openAdmin({ allowPrivate: loopback });
  const settings = { provider: kind, baseUrl: model.url, model: "m-1", apiKey: "sk-test-key-1234" };
  const place = new URL(model.url).origin;
  return {
    model,
    admin,
    settings,
    place,
    /** One more account with an assistant. */
    async account(changes: Partial<Parameters<AdminClient["settings"]["saveAssistant"]["mutate"]>[0]> = {}) {
      const owner = await admin.signUp();
      await owner.client.settings.saveAssistant.mutate({ ...settings, ...changes });
      await owner.client.assistant.agree.mutate({ place });
      return { ...owner, accountId: (await owner.client.auth.me.query()).account.id };
    },
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

/** The draft of a good model. */
export const goodDraft = {
  name: "order_shipped",
  category: "UTILITY",
  header: "Order {{1}}",
  body: "Hello {{1}}, your order left our house today.",
  footer: "Example Shop",
  buttons: [],
  examples: { header: ["A-1"], body: ["Anna"], buttonUrl: [] },
};
