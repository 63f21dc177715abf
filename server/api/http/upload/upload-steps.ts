/** The steps of a route whose body is an upload. See docs/reference/files.md (Upload). */

import type { TObject, TSchema } from 'typebox'
import { insertBlob } from '#crm/blobs/store'
import type { ApiContext, AppContext } from '#context'
import type { ApiError } from '#base/errors/api-error'
import { multipartRequired } from '#base/errors/meetings'
import { invalidBody } from '#base/errors/http'
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
import { isValidUnicode } from '#api/http/request/invalid-unicode'
import { readUpload, type Upload } from './read-upload'

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
