/**
 * Reads a body of `multipart/form-data` with one file: texts to memory, the file to a temporary file. The parts may come in
 * any order. See docs/reference/files.md (Upload).
 */

import type { BlobStore } from '#crm/blobs/blob-store'
import { type TemporaryFile, TooManyBytes } from '#crm/blobs/temporary-file'
import { fileTooLarge, uploadTimedOut } from '#base/errors/meetings'
import { bodyTooLarge, invalidBody } from '#base/errors/http'
import { type ReadLimits, ReadTimeout, readWithin } from '#base/timing/wait'
import { boundaryOf, MalformedMultipart, type MultipartPart, readMultipart } from './multipart'

export interface UploadLimits extends ReadLimits {
  /** The largest file, in bytes. */
  readonly file: number
}

/** The part with the file. */
export interface UploadedFile {
  /** Without folders. */
  readonly name: string
  /** The type that the client sent. */
  readonly type: string
  readonly temporary: TemporaryFile
}

export interface Upload {
  /** The texts by their names; of repeated ones the last. */
  readonly texts: Readonly<Record<string, string>>
  /** Undefined when the body has no file. */
  readonly file: UploadedFile | undefined
}

const FILE = 'file'

/** Beside the file: texts, headers and boundaries. */
const OVERHEAD_BYTES = 256 * 1024
const MAX_PARTS = 50
const MAX_TEXT_BYTES = 1000

/** Throws 400 for a body that is not valid, 408 at a time limit, and 413 for a file that is too large. No file is left. */
export async function readUpload(request: Request, blobs: BlobStore, limits: UploadLimits): Promise<Upload> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limits.file + OVERHEAD_BYTES) throw fileTooLarge(limits.file)
  const boundary = boundaryOf(request.headers.get('content-type') ?? '')
  if (boundary === undefined) throw invalid('The content type names no boundary between the parts')
  const texts: Record<string, string> = Object.create(null)
  let file: UploadedFile | undefined
  let count = 0
  try {
    for await (const part of readMultipart(bytesOf(request, limits), boundary)) {
      if (++count > MAX_PARTS) throw invalid('There are too many parts')
      if (part.fileName === undefined) texts[part.name] = await readText(part)
      else if (part.name !== FILE) await skip(part)
      else if (file !== undefined) throw invalid('There is more than one file', [FILE])
      else file = await receive(part, part.fileName, blobs, limits)
    }
    return { texts, file }
  } catch (error) {
    await file?.temporary.remove()
    throw explain(error, limits)
  }
}

async function receive(
  { type, content }: MultipartPart,
  name: string,
  blobs: BlobStore,
  { file: limit }: UploadLimits,
): Promise<UploadedFile> {
  return { name, type, temporary: await blobs.receive(content, limit) }
}

async function readText({ name, content }: MultipartPart): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of content) {
    size += chunk.length
    if (size > MAX_TEXT_BYTES) throw invalid(`A text has more than ${MAX_TEXT_BYTES} bytes`, [name])
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function skip({ content }: MultipartPart): Promise<void> {
  for await (const _ of content);
}

/** The file cannot be larger than its own limit, so a larger body has too much beside the file. */
async function* bytesOf({ body }: Request, limits: UploadLimits): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of body === null ? [] : readWithin(body, limits)) {
    size += chunk.length
    if (size > limits.file + OVERHEAD_BYTES) throw bodyTooLarge(limits.file + OVERHEAD_BYTES)
    yield chunk
  }
}

function explain(error: unknown, limits: UploadLimits): unknown {
  if (error instanceof TooManyBytes) return fileTooLarge(limits.file)
  if (error instanceof ReadTimeout) return uploadTimedOut()
  return error instanceof MalformedMultipart ? invalid('The body is not valid multipart/form-data') : error
}

const invalid = (message: string, path: string[] = []) => invalidBody([{ code: 'invalid', path, message }])
