import Client from "@great-detail/whatsapp";
import { WhatsAppClient } from "@kapso/whatsapp-cloud-api";
import { expect, it } from "vitest";
import { WhatsAppAPI } from "whatsapp-api-js";
import { Image, Language, Template, Text } from "whatsapp-api-js/messages";
import { openSandbox, orderTemplate } from "../support/sandbox.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";

// Public client libraries, written by others against the real platform, make their calls to the sandbox.

const sandbox = shared(async () => openSandbox());

const png = () => new Blob([Buffer.from("bytes of a picture")], { type: "image/png" });

/** Opens the window for free-form messages to the phone. Returns the id of the incoming message. */
const writes = async (from: string): Promise<string> => {
  const body = { phoneNumberId: sandbox.account.phoneNumberId, from, text: "Hello" };
  return ((await sandbox.call("POST", "/_sandbox/answers", body, null)).json as { id: string }).id;
};
const isRead = async (id: string): Promise<unknown> =>
  waitFor("the message to be read", () => sandbox.receiver.statuses(id).some(({ status }) => status === "read"));

it("@kapso/whatsapp-cloud-api", async () => {
  const { accessToken, phoneNumberId, wabaId: businessAccountId } = sandbox.account;
  const client = new WhatsAppClient({ accessToken, baseUrl: sandbox.url, graphVersion: "v25.0" });
  const to = "+491701230001";
  const { name, language, category, components } = { ...orderTemplate, name: "kapso_order" };
  expect(await client.templates.create({ businessAccountId, name, language, category, components } as never)).toMatchObject({
    status: "PENDING",
  });
  const listed = await waitFor("the approval", async () => {
    const { data } = await client.templates.list({ businessAccountId, limit: 10 });
    return data.find((template) => template.name === name && template.status === "APPROVED");
  });
  expect(listed).toMatchObject({ language, category });
  const text = (value: string) => ({ type: "text" as const, text: value });
  const sent = await client.messages.sendTemplate({
    phoneNumberId,
    to,
    template: {
      name,
      language: { code: language },
      components: [
        { type: "header", parameters: [text("10042")] },
        { type: "body", parameters: [text("Ada"), text("DHL-77")] },
        { type: "button", subType: "url", index: 0, parameters: [text("77")] },
      ],
    },
  } as never);
  await isRead(sent.messages[0]?.id ?? "");
  await expect(client.messages.sendText({ phoneNumberId, to, body: "Too early" })).rejects.toMatchObject({ code: 131047 });
  const messageId = await writes(to);
  expect(await client.messages.markRead({ phoneNumberId, messageId })).toEqual({ success: true });
  await isRead((await client.messages.sendText({ phoneNumberId, to, body: "We are on it." })).messages[0]?.id ?? "");
  const { id: mediaId } = await client.media.upload({ phoneNumberId, type: "image", file: png(), fileName: "a.png" } as never);
  expect(await client.media.get({ mediaId })).toMatchObject({ id: mediaId, mimeType: "image/png" });
  await client.messages.sendImage({ phoneNumberId, to, image: { id: mediaId, caption: "Your parcel" } });
  await client.messages.sendInteractiveButtons({ phoneNumberId, to, bodyText: "Fine?", buttons: [{ id: "yes", title: "Yes" }] });
  expect(await client.media.delete({ mediaId })).toEqual({ success: true });
  expect(await client.phoneNumbers.register({ phoneNumberId, pin: "123456" })).toEqual({ success: true });
  expect(await client.templates.delete({ businessAccountId, name })).toEqual({ success: true });
});

it("@great-detail/whatsapp", async () => {
  const { accessToken, phoneNumberId: phoneNumberID, wabaId: businessAccountID } = sandbox.account;
  const client = new Client({
    prefixUrl: sandbox.url,
    graphVersion: "v25.0",
    request: { headers: { Authorization: `Bearer ${accessToken}` } },
  });
  const to = "+491701230002";
  const template = { ...orderTemplate, name: "detail_order" };
  const { id } = await client.template.create(businessAccountID, template as never).json();
  const found = await waitFor("the approval", async () => {
    const { data } = await client.template
      .list(businessAccountID, { name_or_content: "detail_order", fields: ["name", "status"] as never })
      .json();
    return data.find(({ status }) => status === "APPROVED");
  });
  expect(found).toMatchObject({ id });
  const hello = { name: "hello_world", language: { code: "en_US" } };
  const sent = await client.message.createMessage({ phoneNumberID, to, type: "template", template: hello } as never).json();
  await isRead(sent.messages[0]?.id ?? "");
  const messageID = await writes(to);
  expect(await client.message.createStatus({ phoneNumberID, status: "read", message_id: messageID } as never).json()).toEqual({
    success: true,
  });
  await client.message.createMessage({ phoneNumberID, to, type: "text", text: { body: "Hello" } } as never).json();
  const upload = { phoneNumberID, file: png(), filename: "a.png", mimeType: "image/png" };
  const { id: mediaID } = await client.media.upload(upload as never).json();
  expect(await client.media.getURL({ mediaID, phoneNumberID }).json()).toMatchObject({ mime_type: "image/png", file_size: 18 });
  expect(await client.media.delete({ mediaID }).json()).toEqual({ success: true });
  expect(await client.phoneNumbers.getPhoneNumber({ phoneNumberID, fields: ["id", "quality_rating"] as never }).json()).toMatchObject({
    id: phoneNumberID,
  });
  expect(await client.phoneNumbers.listPhoneNumbers({ businessAccountID }).json()).toMatchObject({ data: [{ id: phoneNumberID }] });
  expect(await client.subscribedApps.createSubscription({ businessAccountID } as never).json()).toEqual({ success: true });
  expect(await client.subscribedApps.listSubscriptions({ businessAccountID }).json()).toMatchObject({ data: [{}] });
  const { raw, signature } = sandbox.receiver.received[0] ?? { raw: "", signature: "" };
  const event = await client.webhook.eventNotification({
    method: "POST",
    query: {},
    headers: { "x-hub-signature-256": signature },
    body: raw,
  } as never);
  expect(await event.checkSignature(sandbox.account.appSecret)).toBe(true);
  expect(await client.template.delete(businessAccountID, { name: "detail_order" } as never).json()).toEqual({ success: true });
});

it("whatsapp-api-js", async () => {
  const { accessToken: token, phoneNumberId, appSecret } = sandbox.account;
  // The library has the platform's address built in.
  const toSandbox: typeof fetch = async (url, init) => fetch((url as string).replace("https://graph.facebook.com", sandbox.url), init);
  const api = new WhatsAppAPI({ token, appSecret, v: "v25.0", ponyfill: { fetch: toSandbox, subtle: crypto.subtle } } as never);
  const to = "491701230003";
  const sent = await api.sendMessage(phoneNumberId, to, new Template("hello_world", new Language("en_US")));
  const id = "messages" in sent ? sent.messages[0].id : "";
  await isRead(id);
  const refused = await api.sendMessage(phoneNumberId, to, new Text("Too early"));
  expect(refused).toMatchObject({ error: { code: 131047 } });
  const incoming = await writes(`+${to}`);
  expect(await api.markAsRead(phoneNumberId, incoming)).toEqual({ success: true });
  expect(await api.sendMessage(phoneNumberId, to, new Text("Hello"), id)).toHaveProperty("messages");
  const form = new FormData();
  form.append("file", png(), "a.png");
  const media = await api.uploadMedia(phoneNumberId, form);
  const mediaId = "id" in media ? media.id : "";
  expect(await api.sendMessage(phoneNumberId, to, new Image(mediaId, true))).toHaveProperty("messages");
  expect(await api.retrieveMedia(mediaId, phoneNumberId)).toMatchObject({ id: mediaId, mime_type: "image/png" });
  expect(await api.deleteMedia(mediaId, phoneNumberId)).toEqual({ success: true });
  expect(await api.blockUser(phoneNumberId, `+${to}`)).toMatchObject({ block_users: { added_users: [{ wa_id: to }] } });
  expect(await api.unblockUser(phoneNumberId, `+${to}`)).toMatchObject({ block_users: { removed_users: [{ wa_id: to }] } });
  const { raw, signature = "" } = sandbox.receiver.received.at(-1) ?? { raw: "" };
  expect(await api.verifyRequestSignature(raw, signature)).toBe(true);
});
