import { newId } from "shared/db/ids";
import { addMediaChunk, beginMediaFile, completeMediaFile, findMediaFile } from "shared/db/media-file";
import type { ManagementClient } from "shared/platform/management-client";
import { expect, test } from "vitest";
import { openResources } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";
import { gate } from "../../../test/support/wait-for.ts";
import { readStoredMedia, storedFile } from "./media.ts";

const resources = shared(async () => openResources());

const credentials = { apiVersion: "v25.0", wabaId: "w", phoneNumberId: "p", accessToken: "t", appId: null, appSecret: null };

async function makeFile(accountId: string): Promise<string> {
  const id = newId();
  await beginMediaFile(resources.sql, { id, account_id: accountId, name: "a.png", type: "image/png" });
  await addMediaChunk(resources.sql, id, 0, Buffer.from("bytes"));
  await completeMediaFile(resources.sql, id, 5);
  return id;
}

/** A platform that gives every upload an id of its own, and answers only once `together` of them have come. */
function platformFor(together: number): ManagementClient {
  let come = 0;
  const all = gate();
  const upload = async () => {
    const id = `media-${(come += 1)}`;
    if (come === together) all.open();
    await all.opened;
    return { kind: "answered", status: 200, json: { id }, headers: {} };
  };
  return { upload } as unknown as ManagementClient;
}

test.each([["p"], ["another number"]])(
  "uploads of one file at one moment settle on one id of the platform's (before: of %s)",
  async (before) => {
    const { accountId } = await resources.account();
    const id = await makeFile(accountId);
    if (before !== "p")
      await resources.sql`update media_file set platform_media_id = 'old', platform_phone_number_id = ${before}, platform_media_at = now() where id = ${id}`;
    const context = { sql: resources.sql, management: platformFor(3) };
    const upload = async () => storedFile(context, credentials, accountId, id, async () => readStoredMedia(resources.sql, accountId, id));
    const files = await Promise.all([upload(), upload(), upload()]);
    const stored = (await findMediaFile(resources.sql, accountId, id))?.platform_media_id;
    expect(new Set(files.map(({ mediaId }) => mediaId))).toEqual(new Set([stored]));
  },
);
