import { createServer } from "node:http";
import { BlockList, type AddressInfo } from "node:net";
import type { Gateway } from "gateway/start";
import type { Pool } from "shared/db/statement";
import { type AdminClient, openAdminOn } from "../support/admin.ts";
import { testDatabase } from "../support/database.ts";
import { openGateway, masterKey } from "../support/gateway.ts";
import { anEvent, postEvent, type Posted } from "../support/requests.ts";
import { verifyToken, type OpenSandbox, openSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

type Template = Awaited<ReturnType<AdminClient["templates"]["get"]["query"]>>["template"];
type BindingInput = Parameters<AdminClient["bindings"]["create"]["mutate"]>[0];

/** A message as the sandbox's phone shows it. */
export interface PhoneMessage {
  template: string;
  text: string;
  components: unknown[];
}

export interface TemplateWorld extends AsyncDisposable {
  sql: Pool;
  sandbox: OpenSandbox;
  gateway: Gateway;
  admin: { url: string; token: string; client: AdminClient };
  templates: AdminClient["templates"];
  /** Files by path, at an address that the admin server may reach. */
  files: { url: string; serve(path: string, type: string, bytes: Buffer): string };
  /** Waits for the platform's callback about a template with this status. */
  until(id: string, status: string): Promise<Template>;
  /** Binds the template to `event` at the world's site; the customer gets it. */
  bind(event: string, templateId: string, variableMap: BindingInput["variableMap"]): Promise<string>;
  post(event: string, payload?: object): Promise<Posted>;
  /** The messages on the phone, newest first. */
  messages(): Promise<PhoneMessage[]>;
}

/** An admin server, a gateway and a sandbox that tells the gateway, and an account connected to it. */
export async function openTemplateWorld(): Promise<TemplateWorld> {
  const database = await testDatabase();
  const sandbox = await openSandbox();
  const gateway = await openGateway(database.url, sandbox.url);
  const allowPrivate = new BlockList();
  allowPrivate.addSubnet("127.0.0.0", 8);
  const server = await openAdminOn(database.url, { masterKey, platformUrl: sandbox.url, publicGatewayUrl: gateway.url, allowPrivate });
  const { client, token } = await server.signUp();
  await connect(client, sandbox);
  const { site, ...secrets } = await client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
  const files = await openFiles();
  return {
    sql: database.sql,
    sandbox,
    gateway,
    admin: { url: server.url, token, client },
    templates: client.templates,
    files,
    until: async (id, status) =>
      waitFor(`a template that is ${status}`, async () => {
        const { template } = await client.templates.get.query({ id });
        return template.status === status && template;
      }),
    bind: async (event, templateId, variableMap) => {
      const input = { siteId: site.id, event, templateId, variableMap, recipient: { strategy: "customer" as const } };
      return (await client.bindings.create.mutate(input)).binding.id;
    },
    post: async (event, payload = anEvent) =>
      postEvent(gateway, { key: secrets.apiKey, secret: secrets.webhookSecret }, payload, { event }),
    messages: async () => (await sandbox.call("GET", "/_sandbox/messages", undefined, null)).json as PhoneMessage[],
    [Symbol.asyncDispose]: async () => {
      await files[Symbol.asyncDispose]();
      await Promise.all([server[Symbol.asyncDispose](), gateway[Symbol.asyncDispose](), sandbox[Symbol.asyncDispose]()]);
      await database[Symbol.asyncDispose]();
    },
  };
}

async function connect(client: AdminClient, sandbox: OpenSandbox): Promise<void> {
  const { wabaId, phoneNumberId, accessToken, appId, appSecret } = sandbox.account;
  const { platform } = await client.settings.update.mutate({ platform: { wabaId, phoneNumberId, accessToken, appId, appSecret } });
  await sandbox.call("PATCH", `/_sandbox/accounts/${wabaId}`, { callbackUrl: platform.webhookUrl, verifyToken }, null);
}

async function openFiles() {
  const served = new Map<string, { type: string; bytes: Buffer }>();
  const server = createServer((request, response) => {
    const file = served.get(request.url ?? "");
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": file.type }).end(file.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    serve: (path: string, type: string, bytes: Buffer): string => {
      served.set(path, { type, bytes });
      return url + path;
    },
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
  };
}
