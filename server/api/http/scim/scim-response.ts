/** Responses in the form of SCIM. See docs/reference/scim.md (Errors). */

import type { ApiError } from '#base/errors/api-error'
import { type Answers, JsonText } from '#api/http/response/answer'

export const SCIM_PATH = '/scim/v2'
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'
const HEADERS = { 'Content-Type': 'application/scim+json; charset=utf-8' }

export interface ScimOutput {
  readonly status: 200 | 201 | 204
  readonly body?: object
  /** The URL of the resource in the body. */
  readonly location?: string
}

/** Whether the errors of a path have the form of SCIM. */
export const isForScim = (path: string): boolean => path === '/scim' || path.startsWith('/scim/')

export function scimResponse(answers: Answers, request: Request, id: string, output: ScimOutput) {
  const location: Record<string, string> = output.location === undefined ? {} : { Location: output.location }
  const text = output.body === undefined ? '' : JSON.stringify(output.body)
  return answers.json(request, id, new JsonText(text, { status: output.status, headers: { ...HEADERS, ...location } }))
}

export const scimErrorResponse = (answers: Answers, request: Request, id: string, error: ApiError) =>
  answers.json(
    request,
    id,
    new JsonText(JSON.stringify(scimErrorOf(error)), {
      status: error.status,
      headers: { ...error.headers, ...HEADERS },
    }),
  )

/** RFC 7644, 3.12. */
const scimErrorOf = (error: ApiError) => ({
  schemas: [ERROR_SCHEMA],
  status: String(error.status),
  ...scimTypeOf(error),
  detail: error.message,
})

/** Errors of the body or the query, which other parts of the API have as well, are errors of syntax. */
function scimTypeOf({ status, extra }: ApiError): { scimType?: unknown } {
  if (extra.scimType !== undefined) return { scimType: extra.scimType }
  return status === 400 ? { scimType: 'invalidSyntax' } : {}
}
