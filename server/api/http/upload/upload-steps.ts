/** The steps of a route whose body is an upload. See docs/reference/files.md (Upload). */

import type { TObject, TSchema } from 'typebox'
import { insertBlob } from '#crm/blobs/store'
import type { ApiContext, AppContext } from '#context'
import type { ApiError } from '#base/errors/api-error'
import { fileTooLarge, multipartRequired, uploadTimedOut } from '#base/errors/meetings'
import { bodyTooLarge, invalidBody } from '#base/errors/http'
import { compileCheck } from '#base/validation/compile-check'
import type { Caller } from '#api/http/guard/caller'
import {
  type IncomingRequest,
  type Output,
  paramsOf,
  type SavedFile,
  type UploadInput,
  type UploadSpec,
} from '#api/http/guard/route'
import { answerDryRun, isDryRun } from '#api/http/dry-run/dry-run'
import { answerOnce } from '#api/http/idempotency/answer-once'
import { readIdempotencyKey } from '#api/http/idempotency/idempotent-request'
import { makeRequestContext } from '#api/http/guard/request-context'
import { isValidUnicode } from '#api/http/request/parse-body'
import type { BlobStore } from '#crm/blobs/blob-store'
import { type TemporaryFile, TooManyBytes } from '#crm/blobs/temporary-file'
import { type ReadLimits, ReadTimeout, readWithin } from '#base/timing/wait'
import { boundaryOf, MalformedMultipart, type MultipartPart, readMultipart } from './multipart'

const MULTIPART = /^multipart\/form-data\b/i

/** An upload whose file is saved, or the reason to refuse it. */
type CheckedUpload = { readonly file: SavedFile; readonly texts: Upload['texts'] } | { readonly refusal: ApiError }

/** Returns a function that receives the body of a request and runs the operation for a caller who has its scopes. */
export function compileUpload<Path extends string, B extends TObject>(
  appContext: AppContext,
  spec: UploadSpec<B>,
  run: (input: UploadInput<B, Path>) => Output,
): (incoming: IncomingRequest, caller: Caller) => Promise<Output> {
  const { blobs, db, settings } = appContext
  const check = compileCheck<TSchema>(spec.body)

  /** The file is saved before a transaction of an idempotent request begins, so that no connection waits for the storage. */
  async function receive({ request, isDryRun }: IncomingRequest, { workspaceId }: Caller): Promise<CheckedUpload> {
    const type = request.headers.get('content-type') ?? ''
    if (!MULTIPART.test(type)) return { refusal: multipartRequired(type.split(';', 1)[0] ?? '') }
    const { texts, file } = await readUpload(request, blobs, settings.upload)
    const issues = [...check(texts), ...textIssues(texts), ...fileIssues(file)]
    if (file === undefined || issues.length > 0) {
      await file?.temporary.remove()
      return { refusal: invalidBody(issues) }
    }
    const { name, type: declaredType, temporary } = file
    const { digest, size, beginning } = temporary
    if (isDryRun) await temporary.remove()
    else await blobs.save(workspaceId, temporary)
    return { texts, file: { name, declaredType, digest, size, beginning } }
  }

  return async (incoming, caller) => {
    const { request, params } = incoming
    incoming.isDryRun = isDryRun(request)
    const key = readIdempotencyKey(request.headers)
    const upload = await receive(incoming, caller)
    const execute = async (context: ApiContext) => {
      if ('refusal' in upload) throw upload.refusal
      // `check` compared the texts with the schema.
      return run({
        context,
        params: paramsOf<Path>(params),
        body: upload.texts as UploadInput<B>['body'],
        file: upload.file,
      })
    }
    const newContext = () => makeRequestContext(appContext, caller, request)
    if (incoming.isDryRun)
      return answerDryRun(db, await newContext(), async (context) => {
        // The row of the file refers to it.
        if ('file' in upload) await insertBlob(context.db.sql, { ...caller, ...upload.file }, upload.file.size)
        return execute(context)
      })
    if (key === undefined) return execute(await newContext())
    const idempotent = { caller, key, request, body: identityOf(upload), makeRequestContext: newContext }
    return answerOnce(appContext, idempotent, execute)
  }
}

const MAX_NAME_LENGTH = 255

function fileIssues(file: Upload['file']) {
  const path = ['file']
  const code = 'invalid' as const
  if (file === undefined)
    return [{ code: 'invalid_type' as const, path, message: 'Required', expected: 'file', received: 'undefined' }]
  const { name } = file
  if (name === '') return [{ code, path, message: 'The file has no name' }]
  if (name.length > MAX_NAME_LENGTH)
    return [{ code, path, message: `The name has more than ${MAX_NAME_LENGTH} characters` }]
  return isValidUnicode(name) ? [] : [{ code, path, message: 'Text must not contain NUL' }]
}

const textIssues = (texts: Upload['texts']) =>
  Object.entries(texts)
    .filter(([, text]) => !isValidUnicode(text))
    .map(([name]) => ({ code: 'invalid' as const, path: [name], message: 'Text must not contain NUL' }))

/** What two identical requests share. The boundaries between the parts differ at each attempt. */
function identityOf(upload: CheckedUpload): Uint8Array {
  if ('refusal' in upload) return new Uint8Array()
  const { texts, file } = upload
  const { name, declaredType, digest } = file
  const sorted = Object.entries(texts).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Buffer.from(JSON.stringify([sorted, name, declaredType, digest.toString('hex')]))
}

/**
 * Reads a body of `multipart/form-data` with one file: texts to memory, the file to a temporary file. The parts may come in
 * any order. See docs/reference/files.md (Upload).
 */
interface UploadLimits extends ReadLimits {
  /** The largest file, in bytes. */
  readonly file: number
}

/** The part with the file. */
interface UploadedFile {
  /** Without folders. */
  readonly name: string
  /** The type that the client sent. */
  readonly type: string
  readonly temporary: TemporaryFile
}

interface Upload {
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
async function readUpload(request: Request, blobs: BlobStore, limits: UploadLimits): Promise<Upload> {
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
