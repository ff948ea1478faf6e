import { createHash, createSign, generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "./listen.ts";

type Claims = Record<string, unknown>;

/** The script of an OpenID issuer, which a test may change between calls. */
export interface IssuerScript {
  /** Claims in place of those of a good ID token; undefined leaves one out. */
  claims: Claims;
  /** Members in place of those of a good ID token's header; `alg` of `none` leaves the signature out. */
  header: Claims;
  /** Parameters in place of those that the browser brings back. */
  back: Record<string, string>;
  userinfo: Claims;
  /** The methods that the token endpoint claims to take. */
  methods: string[];
  /** The only method that it takes, in place of the first of them. */
  registered: string | null;
  /** Answers an endpoint in place of the good answer. */
  answer: (path: string, response: ServerResponse) => boolean;
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

export const wellBehaved = (): IssuerScript => ({
  claims: {},
  header: {},
  back: {},
  userinfo: {},
  methods: ["client_secret_basic"],
  registered: null,
  answer: () => false,
});

/** An OpenID issuer on loopback that lets everybody in at once, checks PKCE and the secret, and takes a code any number of times. */
export async function startIssuer(client: { id: string; secret: string }) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { privateKey: stranger } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const script = wellBehaved();
  const asked = new Map<string, URLSearchParams>();
  const server = createServer((request, response) => void serve(request, response));
  const listening = await listen(server);
  const { url } = listening;

  /** The issuer's name for the person: one for each address, unless the script says otherwise. */
  const subject = (): string => {
    const email = "email" in script.claims ? (script.claims["email"] ?? script.userinfo["email"]) : "ann@example.com";
    return `of ${String(email).toLowerCase()}`;
  };

  const idToken = (params: URLSearchParams): string => {
    const now = Math.floor(Date.now() / 1000);
    const good = { iss: url, aud: client.id, sub: subject(), iat: now, exp: now + 60, auth_time: now, nonce: params.get("nonce") };
    const text = [
      { alg: "RS256", kid: "k", ...script.header },
      { ...good, email: "ann@example.com", email_verified: true, ...script.claims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    if (script.header["alg"] === "none") return `${text}.`;
    const key = script.header["kid"] === "stranger" ? stranger : privateKey;
    return `${text}.${createSign("RSA-SHA256").update(text).sign(key).toString("base64url")}`;
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    if (script.answer(pathname, response)) return;
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (pathname === "/.well-known/openid-configuration") {
      return void json(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        userinfo_endpoint: `${url}/userinfo`,
        jwks_uri: `${url}/jwks`,
        token_endpoint_auth_methods_supported: script.methods,
      });
    }
    if (pathname === "/jwks") return void json(200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k", use: "sig" }] });
    if (pathname === "/userinfo") return void json(200, { sub: script.claims["sub"] ?? subject(), ...script.userinfo });
    if (pathname === "/authorize") {
      const code = randomUUID();
      asked.set(code, searchParams);
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({ code, state: searchParams.get("state") ?? "", ...script.back }).toString();
      return void response.writeHead(302, { location: back.href }).end();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const params = asked.get(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isClient =
      (script.registered ?? script.methods[0]) === "client_secret_basic"
        ? basicOf(request.headers.authorization) === `${client.id}:${client.secret}`
        : form.get("client_id") === client.id && form.get("client_secret") === client.secret;
    if (!isClient) return void json(401, { error: "invalid_client" });
    if (params?.get("code_challenge") !== challenge) return void json(400, { error: "invalid_grant" });
    return void json(200, { access_token: "a", token_type: "Bearer", expires_in: 60, id_token: idToken(params) });
  }

  return {
    ...listening,
    script,
  };
}

/** The two parts of the header; RFC 6749 form-encodes both. */
const basicOf = (header: string | undefined): string =>
  decodeURIComponent(
    Buffer.from(header?.slice("Basic ".length) ?? "", "base64")
      .toString()
      .replaceAll("+", " "),
  );

/** Follows redirects and sends forms as a browser does, with a jar of cookies for each host. */
export function createBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: URL) => jars.get(url.host) ?? jars.set(url.host, new Map()).get(url.host) ?? new Map<string, string>();
  const visit = async (target: string | URL, body?: URLSearchParams): Promise<{ answer: Response; url: URL }> => {
    const url = new URL(target);
    const jar = jarOf(url);
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: { cookie }, ...(body !== undefined && { method: "POST", body }) });
    for (const each of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = each.slice(0, each.indexOf(";")).split(/=(.*)/s);
      if (value === "" || /max-age=0/i.test(each)) jar.delete(name);
      else jar.set(name, value);
    }
    return { answer, url };
  };
  return {
    visit,
    /** The cookies for the host of that address. */
    jarOf: (address: string) => jarOf(new URL(address)),
    /** Follows redirects to the end; `stop` ends it before an address is requested. */
    async follow(target: string | URL, stop: (url: URL) => boolean = () => false): Promise<{ answer: Response; url: URL }> {
      let seen = await visit(target);
      for (;;) {
        const location = seen.answer.headers.get("location");
        if (location === null) return seen;
        const next = new URL(location, seen.url);
        if (stop(next)) return { answer: seen.answer, url: next };
        seen = await visit(next);
      }
    },
  };
}
