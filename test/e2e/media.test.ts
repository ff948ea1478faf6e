import { describe, expect, it } from "vitest";
import { shared } from "../support/shared.ts";
import { openTemplateWorld } from "./template-world.ts";

const world = shared(openTemplateWorld);

const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(2_500_000, 7)]);
const pdf = Buffer.from("%PDF-1.7 …");
const withHeader = (name: string, header: object) => ({
  name,
  language: "en_US",
  category: "UTILITY",
  body: "Thank you for your order.",
  header: header as { format: "IMAGE"; url: string },
});
const upload = async (bytes: Buffer, type: string, name = "a b.png", token = world.admin.token) => {
  const headers = { "content-type": type, authorization: `Bearer ${token}` };
  const response = await fetch(`${world.admin.url}/media?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers,
    body: new Uint8Array(bytes),
  });
  const json = (await response.json()) as { file: { id: string; name: string; type: string; size: number }; error: string };
  return { status: response.status, ...json };
};
const sendOne = async (event: string, templateId: string): Promise<unknown> => {
  await world.bind(event, templateId, {});
  const posted = await world.post(event);
  expect([event, posted.json["chat"]]).toEqual([event, "sent"]);
  return (await world.messages())[0]?.components;
};

describe("a header with a file by its address", () => {
  it("is uploaded as a sample for the reviewers and sent by link", async () => {
    const url = world.files.serve("/banner.png", "image/png", png);
    const { template } = await world.templates.create.mutate(withHeader("by_link", { format: "IMAGE", url }));
    await world.templates.submit.mutate({ id: template.id });
    expect((await world.until(template.id, "approved")).header).toEqual({ format: "IMAGE", url });
    expect(await sendOne("by.link", template.id)).toEqual([{ type: "header", parameters: [{ type: "image", image: { link: url } }] }]);
  });

  it.each([
    ["is not there", "IMAGE", "/missing.png", null, /header\.url: answered HTTP 404/],
    ["is of another type", "VIDEO", "/a.mp4", ["image/png", png], /header\.url: is served as image\/png: a VIDEO header takes MP4/],
    ["is a page", "IMAGE", "/page.png", ["text/html", Buffer.from("<!doctype html>")], /is served as text\/html/],
    [
      "is not what it is called",
      "IMAGE",
      "/fake.png",
      ["image/png", Buffer.from("<svg/>")],
      /is served as image\/png but has other content/,
    ],
    ["is too large", "IMAGE", "/large.png", ["image/png", Buffer.concat([png, Buffer.alloc(3_000_000)])], /more than 5 MB/],
  ] as const)("is refused where the file %s, and stays a draft", async (_, format, path, file, words) => {
    if (file !== null) world.files.serve(path, file[0], file[1]);
    const { template } = await world.templates.create.mutate(
      withHeader(`refused${path.replaceAll(/\W/g, "_")}`, { format, url: world.files.url + path }),
    );
    await expect(world.templates.submit.mutate({ id: template.id })).rejects.toThrow(words);
    expect((await world.templates.get.query({ id: template.id })).template.status).toBe("draft");
  });

  it("is not fetched from inside the network", async () => {
    const url = "http://169.254.169.254/latest/meta-data/a.png";
    const { template } = await world.templates.create.mutate(withHeader("inside", { format: "IMAGE", url }));
    await expect(world.templates.submit.mutate({ id: template.id })).rejects.toThrow(/header\.url: is not an address of the internet/);
  });

  it("takes the app's id, and says where to enter it", async () => {
    const url = world.files.serve("/banner.png", "image/png", png);
    const { template } = await world.templates.create.mutate(withHeader("without_app", { format: "IMAGE", url }));
    const { wabaId, phoneNumberId, appId } = world.sandbox.account;
    const { settings } = world.admin.client;
    await settings.update.mutate({ platform: { wabaId, phoneNumberId, appId: null } });
    await expect(world.templates.submit.mutate({ id: template.id })).rejects.toThrow(/platform\.appId/);
    await settings.update.mutate({ platform: { wabaId, phoneNumberId, appId } });
    // A quick review may be over already.
    expect((await world.templates.submit.mutate({ id: template.id })).template.status).toMatch(/^(pending|approved)$/);
  });
});

describe("a header with an uploaded file", () => {
  it("is sent by the platform's id, and shown to whoever may see it", async () => {
    const { status, file } = await upload(png, "image/png");
    expect([status, file]).toEqual([200, { id: file.id, name: "a b.png", type: "image/png", size: png.length }]);
    const { template } = await world.templates.create.mutate(withHeader("by_id", { format: "IMAGE", fileId: file.id }));
    expect(template.header).toEqual({ format: "IMAGE", url: null, file: { id: file.id, name: "a b.png", mediaId: null } });
    await world.templates.submit.mutate({ id: template.id });
    const approved = await world.until(template.id, "approved");
    const mediaId = approved.header !== null && "file" in approved.header ? approved.header.file?.mediaId : undefined;
    expect(mediaId).toMatch(/^\d{16}$/);
    expect(await sendOne("by.id", template.id)).toEqual([{ type: "header", parameters: [{ type: "image", image: { id: mediaId } }] }]);
    const shown = await fetch(`${world.admin.url}/media/${file.id}`, { headers: { authorization: `Bearer ${world.admin.token}` } });
    expect([shown.status, shown.headers.get("content-type"), shown.headers.get("x-content-type-options")]).toEqual([
      200,
      "image/png",
      "nosniff",
    ]);
    expect(Buffer.from(await shown.arrayBuffer()).equals(png)).toBe(true);
    expect((await fetch(`${world.admin.url}/media/${file.id}`)).status).toBe(401);
  });

  it("of a document is sent under its name", async () => {
    const { file } = await upload(pdf, "application/pdf", "../Terms\u202e 2026.pdf");
    const { template } = await world.templates.create.mutate(withHeader("terms", { format: "DOCUMENT", fileId: file.id }));
    await world.templates.submit.mutate({ id: template.id });
    await world.until(template.id, "approved");
    expect(await sendOne("terms.sent", template.id)).toEqual([
      { type: "header", parameters: [{ type: "document", document: { id: expect.any(String), filename: ".._Terms_ 2026.pdf" } }] },
    ]);
  });

  it("is uploaded again before the platform forgets it, and for another number", async () => {
    const { file } = await upload(png, "image/png");
    const { template } = await world.templates.create.mutate(withHeader("renewed", { format: "IMAGE", fileId: file.id }));
    await world.templates.submit.mutate({ id: template.id });
    await world.until(template.id, "approved");
    const uploadedAt = async (): Promise<unknown> =>
      (await world.sql`select platform_media_at > now() - interval '1 day' as lately from media_file where id = ${file.id}`)[0];
    for (const change of [
      { platform_media_at: new Date(Date.now() - 25 * 86_400_000) },
      { platform_media_id: "old", platform_phone_number_id: "other" },
    ]) {
      await world.sql`update media_file set ${world.sql(change)} where id = ${file.id}`;
      await world.templates.sync.mutate();
      expect(await uploadedAt()).toEqual({ lately: true });
    }
    const { header } = (await world.templates.get.query({ id: template.id })).template;
    expect(header).toMatchObject({ file: { mediaId: expect.stringMatching(/^\d{16}$/) } });
  });

  it("has to exist, be whole, and be what the header takes", async () => {
    const make = (format: string, fileId: string) => world.templates.create.mutate(withHeader("wrong", { format, fileId }));
    const { file } = await upload(pdf, "application/pdf");
    await expect(make("IMAGE", file.id)).rejects.toThrow(
      /header\.fileId: is a file of type application\/pdf: a IMAGE header takes JPEG or PNG/,
    );
    await expect(make("IMAGE", "019aa000-0000-7000-8000-000000000001")).rejects.toThrow(
      /header\.fileId: is not the id of an uploaded file/,
    );
    await world.sql`update media_file set size = null where id = ${file.id}`;
    await expect(make("DOCUMENT", file.id)).rejects.toThrow(/not the id of an uploaded file/);
  });

  it("is refused where it is not what it is called, too large, of no type, or brought by nobody who may", async () => {
    expect(await upload(pdf, "image/png")).toMatchObject({ status: 400, error: "The file's content is not image/png" });
    expect(await upload(Buffer.concat([png, png, png]), "image/png")).toMatchObject({
      status: 413,
      error: expect.stringContaining("5242880 bytes"),
    });
    expect(await upload(png, "image/gif")).toMatchObject({ status: 415, error: expect.stringContaining("JPEG or PNG") });
    expect(await upload(Buffer.alloc(0), "image/png")).toMatchObject({ status: 400 });
    expect(await upload(png, "image/png", "x", "nobody")).toMatchObject({ status: 401 });
    const { token } = await world.admin.client.tokens.create.mutate({ name: "looks", role: "viewer" });
    expect(await upload(png, "image/png", "x", token)).toMatchObject({ status: 403 });
    expect(
      await world.sql`select count(*)::integer as n from media_file f where size is null and not exists (select 1 from media_chunk where file_id = f.id)`,
    ).toEqual([{ n: 0 }]);
  });
});

describe("a template that was made elsewhere with a media header", () => {
  it("cannot be sent before somebody says which file, and needs no approval for it", async () => {
    const { wabaId } = world.sandbox.account;
    const components = [
      { type: "HEADER", format: "IMAGE", example: { header_handle: ["4::aW1hZ2U="] } },
      { type: "BODY", text: "Thank you for your order." },
    ];
    const made = { name: "elsewhere", language: "en_US", category: "UTILITY", components };
    expect((await world.sandbox.call("POST", `/${wabaId}/message_templates`, made)).status).toBe(200);
    await world.templates.sync.mutate();
    const [template] = (await world.templates.list.query({ search: "elsewhere" })).items;
    const id = template?.id ?? "";
    expect(template).toMatchObject({ status: "approved", header: { format: "IMAGE", url: null } });
    const bindingId = await world.bind("elsewhere", id, {});
    const problems = async (): Promise<string[]> => (await world.admin.client.bindings.get.query({ id: bindingId })).binding.problems;
    expect(await problems()).toEqual([expect.stringContaining("its IMAGE header has no file to send")]);
    expect((await world.post("elsewhere")).json).toMatchObject({ chat: "failed" });
    await expect(world.templates.setHeaderMedia.mutate({ id, url: `${world.files.url}/missing.png` })).rejects.toThrow(/HTTP 404/);
    await expect(world.templates.setHeaderMedia.mutate({ id })).rejects.toThrow(/url: must be given/);
    const url = world.files.serve("/elsewhere.png", "image/png", png);
    const { updatedAt: ifUpdatedAt } = (await world.templates.setHeaderMedia.mutate({ id, url })).template;
    expect(await problems()).toEqual([]);
    expect((await world.post("elsewhere")).json).toMatchObject({ chat: "sent" });
    expect((await world.messages())[0]?.components).toEqual([{ type: "header", parameters: [{ type: "image", image: { link: url } }] }]);
    const { file } = await upload(png, "image/png");
    const { template: changed } = await world.templates.setHeaderMedia.mutate({ id, fileId: file.id, ifUpdatedAt });
    await expect(world.templates.setHeaderMedia.mutate({ id, url, ifUpdatedAt })).rejects.toMatchObject({ data: { code: "CONFLICT" } });
    expect(changed).toMatchObject({ status: "approved", header: { url: null, file: { id: file.id, mediaId: expect.any(String) } } });
    await world.templates.sync.mutate();
    expect((await world.templates.get.query({ id })).template.header).toEqual(changed.header);
  });
});
