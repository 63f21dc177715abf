/**
 * Reads a body of `multipart/form-data` with one file: texts to memory, the file to a temporary file. The parts may come in
 * any order. See docs/reference/files.md (Upload).
 */

import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import type { BlobStore } from '../../blobs/blob-store'
import { type TemporaryFile, TooManyBytes } from '../../blobs/temporary-file'
import { bodyTooLarge, invalidBody } from '../../errors/http'
import { fileTooLarge, uploadTimedOut } from '../../errors/files'
import { type ReadLimits, ReadTimeout, readWithin } from '../../timing/read-within'

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
const MAX_TEXTS = 50
const MAX_FILES = 10
const MAX_TEXT_BYTES = 1000

/** Throws 400 for a body that is not valid, 408 at a time limit, and 413 for a file that is too large. No file is left. */
export async function readUpload(request: Request, blobs: BlobStore, limits: UploadLimits): Promise<Upload> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limits.file + OVERHEAD_BYTES) throw fileTooLarge(limits.file)
  const parts = collectParts(request, blobs, limits.file)
  try {
    await pipeline(Readable.from(bytesOf(request, limits)), parts.parser, { signal: parts.signal })
    return await parts.finish()
  } catch (error) {
    await parts.abandon()
    throw explain(parts.failure ?? error, limits)
  }
}

/** The file cannot be larger than its own limit, so a larger body has too many or too long texts. */
async function* bytesOf({ body }: Request, limits: UploadLimits): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of body === null ? [] : readWithin(body, limits)) {
    size += chunk.length
    if (size > limits.file + OVERHEAD_BYTES) throw bodyTooLarge(limits.file + OVERHEAD_BYTES)
    yield chunk
  }
}

interface Receiving {
  readonly name: string
  readonly type: string
  readonly stream: BusboyFileStream
  readonly temporary: Promise<TemporaryFile>
}

function collectParts(request: Request, blobs: BlobStore, fileLimit: number) {
  const texts: Record<string, string> = Object.create(null)
  const stopping = new AbortController()
  let receiving: Receiving | undefined
  let failure: unknown
  const fail = (error: unknown) => {
    failure ??= error
    stopping.abort()
  }
  const parser = createParser(request)
    .on('field', (name, value, isNameTruncated, isValueTruncated) => {
      if (isNameTruncated || isValueTruncated) fail(invalid('A text part is too long'))
      texts[name] = value
    })
    .on('file', (name, stream, fileName, _encoding, type) => {
      if (name !== FILE) return void stream.resume()
      if (receiving !== undefined) return fail(invalid('There is more than one file', [FILE]))
      receiving = { name: fileName ?? '', type, stream, temporary: blobs.receive(stream, fileLimit) }
      receiving.temporary.catch(fail)
    })
    .on('partsLimit', () => fail(invalid('There are too many parts')))
    .on('fieldsLimit', () => fail(invalid('There are too many parts')))
    .on('filesLimit', () => fail(invalid('There are too many files')))
  return {
    parser,
    signal: stopping.signal,
    get failure() {
      return failure
    },
    async finish(): Promise<Upload> {
      if (receiving === undefined) return { texts, file: undefined }
      const { name, type, temporary } = receiving
      return { texts, file: { name, type, temporary: await temporary } }
    },
    /** Ends the writing of the file and removes it. */
    async abandon(): Promise<void> {
      if (receiving === undefined) return
      receiving.stream.destroy(new Error('The upload ended before its file.'))
      await receiving.temporary.then((file) => file.remove()).catch(() => {})
    },
  }
}

/** Throws 400 without a boundary. */
function createParser(request: Request): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
      limits: {
        fieldNameSize: MAX_TEXT_BYTES,
        fieldSize: MAX_TEXT_BYTES,
        fields: MAX_TEXTS,
        files: MAX_FILES,
        headerPairs: MAX_TEXTS,
      },
    })
  } catch {
    throw invalid('The body has no boundary between its parts')
  }
}

function explain(error: unknown, limits: UploadLimits): unknown {
  if (error instanceof TooManyBytes) return fileTooLarge(limits.file)
  if (error instanceof ReadTimeout) return uploadTimedOut()
  return isParserError(error) ? invalid('The body is not valid multipart/form-data') : error
}

/** The parser throws plain errors with these beginnings. */
const isParserError = (error: unknown): boolean =>
  error instanceof Error &&
  /^(?:Unexpected end of|Part terminated|Malformed|Missing Content-Type|Unsupported)/.test(error.message)

const invalid = (message: string, path: string[] = []) => invalidBody([{ code: 'invalid', path, message }])
