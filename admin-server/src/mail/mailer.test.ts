import { createServer, type AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { headerOf, type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { htmlOf, type Letter, textOf } from "./letter.ts";
import { connectionOf, createMailer, type Mailer } from "./mailer.ts";

const letter: Letter = {
  subject: "A subject",
  paragraphs: ["Hello.", { link: "https://a.example/x#y", label: "Open" }, { lines: ["one", "two"] }],
};
const host = "admin.example";

let server: MailServer;
const opened: { close(): void }[] = [];
const open = (mailer: Mailer): Mailer => {
  opened.push(mailer);
  return mailer;
};
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(async () => {
  for (const one of opened.splice(0)) one.close();
  await server[Symbol.asyncDispose]();
});

describe("a mail", () => {
  it("arrives as text and HTML, over TLS where the server offers it, under its own Message-ID", async () => {
    const mailer = open(createMailer(server.config, host));
    await mailer.send({ id: "one", to: "ann@example.com", letter });
    await mailer.send({ id: "one", to: "ann@example.com", letter });
    const [mail, again] = await server.mailsTo("ann@example.com", 2);
    expect(mail).toMatchObject({ to: ["ann@example.com"], secure: true });
    expect(["from", "to", "subject", "message-id"].map((name) => mail && headerOf(mail, name))).toEqual(
      data("admin-server-mail-mailer", "arrives as text and HTML, over TLS where the ser"),
    );
    expect(again && headerOf(again, "message-id")).toBe("<one@admin.example>");
    expect(mail?.body).toContain("Hello.\r\n\r\nOpen:\r\nhttps://a.example/x#y\r\n\r\n- one\r\n- two");
    expect(mail?.body).toContain('<a href="https://a.example/x#y">Open</a>');
  });

  it("has the headers and recipients that it is meant to have, whatever its texts hold", async () => {
    await using clear = await startMailServer({ authOptional: true, hideSTARTTLS: true });
    const mailer = open(createMailer({ ...clear.config, from: { name: 'A" <x@evil.example>, "b', address: "tidings@example.com" } }, host));
    const wild = fc.string({
      unit: fc.constantFrom("\r", "\n", "\r\n", ":", "<", ">", ",", "a", "B", "é", "\u2028", " ", "\t", ".", '"'),
      maxLength: 80,
    });
    await fc.assert(
      fc.asyncProperty(wild, wild, async (subject, text) => {
        clear.received.length = 0;
        const evil = `${subject}\r\nBcc: eve@evil.example\r\n\r\n${text}`;
        await mailer.send({
          id: "x",
          to: "ann@example.com",
          letter: { subject: evil, paragraphs: [evil, { link: "https://a.example", label: evil }] },
        });
        const [mail] = clear.received;
        expect(mail?.to).toEqual(["ann@example.com"]);
        expect(mail?.headers.map(({ name }) => name).toSorted()).toEqual(
          ["auto-submitted", "content-type", "date", "from", "message-id", "mime-version", "subject", "to"].toSorted(),
        );
        expect(mail && headerOf(mail, "from")).toMatch(/<tidings@example\.com>$/);
      }),
      { numRuns: 20 },
    );
  });

  it("shows no markup of its texts", () => {
    const evil = `<script>alert(1)</script>"'&`;
    const html = htmlOf({ subject: evil, paragraphs: [evil, { lines: [evil] }, { link: `https://a.example/"><b>`, label: evil }] });
    expect(html).not.toContain("<script>");
    expect(html).not.toContain('"><b>');
    expect(textOf({ subject: "", paragraphs: [`a\r\nb`] })).toBe("a b\n");
  });
});

describe("a mail server", () => {
  it("that asks for a login gets it, and one that refuses it is told apart", async () => {
    await using asking = await startMailServer({
      onAuth: ({ username, password }, _session, callback) =>
        username === "u" && password === "p" ? callback(null, { user: username }) : callback(new Error("no")),
    });
    const login = { user: "u", password: "p" };
    await open(createMailer({ ...asking.config, login }, host)).send({ id: "a", to: "ann@example.com", letter });
    expect(asking.received).toMatchObject([{ user: "u", secure: true }]);
    const wrong = open(createMailer({ ...asking.config, login: { user: "u", password: "a-wrong-password" } }, host));
    const refused = await wrong.send({ id: "a", to: "ann@example.com", letter });
    expect(refused).toMatchObject({ error: "login_refused", isFinal: false });
    expect(JSON.stringify(refused)).not.toMatch(/wrong-password|ann@/);
  });

  it.each([
    [550, { error: "refused", statusCode: 550, isFinal: true }],
    [451, { error: "refused", statusCode: 451, isFinal: false }],
  ])("that answers %i is believed", async (responseCode, expected) => {
    server.script(async () => Promise.resolve(Object.assign(new Error("no"), { responseCode })));
    expect(await open(createMailer(server.config, host)).send({ id: "a", to: "ann@example.com", letter })).toEqual(expected);
  });

  it("that hangs, or says nothing at all, is given up; one that is not there at once", async () => {
    server.script(async () => new Promise(() => undefined));
    const slow = await open(createMailer(server.config, host, 300)).send({ id: "a", to: "ann@example.com", letter });
    expect(slow).toMatchObject({ error: "timeout", isFinal: false });
    const mute = createServer(() => undefined);
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const { port } = mute.address() as AddressInfo;
    expect(await open(createMailer({ ...server.config, port }, host, 300)).send({ id: "a", to: "a@b.example", letter })).toMatchObject({
      error: "timeout",
    });
    await new Promise((resolve) => mute.close(resolve));
    expect(await open(createMailer({ ...server.config, port }, host)).send({ id: "a", to: "a@b.example", letter })).toMatchObject({
      error: "unreachable",
    });
  });

  it("elsewhere gets a password only over TLS, by a certificate that is good", () => {
    const login = { user: "u", password: "p" };
    const elsewhere = connectionOf({ host: "mail.example", port: 587, secure: false, login });
    expect(elsewhere).toMatchObject({ requireTLS: true, tls: { rejectUnauthorized: true } });
    expect(connectionOf({ host: "mail.example", port: 587, secure: false, login: null })).toMatchObject({
      tls: { rejectUnauthorized: true },
    });
    expect(connectionOf({ host: "127.0.0.1", port: 25, secure: false, login })).toMatchObject({
      requireTLS: false,
      tls: { rejectUnauthorized: false },
    });
  });
});
