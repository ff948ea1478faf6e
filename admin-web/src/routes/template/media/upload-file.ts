import type { HeaderFile } from "shared/core/template/definition";
import { formatOfType, mediaTypes, signatureBytes, typeNames, typeOfBytes, type MediaFormat } from "shared/core/template/definition";
import { mediaFiles } from "../../../paths.ts";

type Uploaded = Pick<HeaderFile, "id" | "name">;

/** Uploads a file for a header of that format, after the checks that need no server. @throws Error in words for whoever chose the file */
export async function uploadFile(file: File, format: MediaFormat, onProgress: (percent: number) => void): Promise<Uploaded> {
  const type = typeOfBytes(new Uint8Array(await file.slice(0, signatureBytes).arrayBuffer()));
  if (type === null || formatOfType(type) !== format)
    throw new Error(`${file.name} is something else: choose a ${typeNames(format)} file.`);
  const { maxBytes } = mediaTypes[format];
  if (file.size > maxBytes) throw new Error(`${file.name} is too large: at most ${megabytes(maxBytes)} MB are taken.`);
  const { status, response } = await post(`${mediaFiles}?${new URLSearchParams({ name: file.name }).toString()}`, file, type, onProgress);
  const { file: made, error } = (response ?? {}) as { file?: Uploaded; error?: string };
  if (made === undefined) throw new Error(error ?? `The server answered ${status}. Try again.`);
  return { id: made.id, name: made.name };
}

export const megabytes = (bytes: number): number => bytes / 1_048_576;

/** By XMLHttpRequest, since fetch does not tell how much is sent. */
function post(address: string, body: File, type: string, onProgress: (percent: number) => void): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.responseType = "json";
    request.setRequestHeader("content-type", type);
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 0 : Math.round((loaded / total) * 100)));
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("error", () =>
      reject(new Error("The file did not reach the server. Check that you are online, and try again.")),
    );
    request.send(body);
  });
}
