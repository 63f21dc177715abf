/** Requests to the API as the member of a request to the console. */

import type { ConsoleMember } from '#api/http/guard/session-guard'
import { urlOf } from '#api/http/request/request-url'
import type { Gateway } from '#api/console/gateway'

export type Handle = (request: Request) => Promise<Response>

interface Origin {
  readonly request: Request
  readonly gateway: Gateway
  readonly handle: Handle
  readonly member: ConsoleMember
}

/** Of an answer, its status and its JSON. */
export interface ApiAnswer {
  readonly status: number
  // The callers read what the operation answers.
  readonly body: { readonly data?: unknown; readonly message?: string }
}

/** Sends a request for `path` below `/v2`. */
export type SendRequest = (method: string, path: string, data?: object) => Promise<ApiAnswer>

/** The headers of a request to the console by which the service knows who sends it, and from which page. */
const IDENTIFYING = ['cookie', 'origin', 'x-csrf-token', 'host']

export const requestsOf =
  ({ request, gateway, handle, member }: Origin): SendRequest =>
  async (method, path, data) => {
    const url = urlOf(request)
    const target = new URL(`/console/v2${path}`, url.origin)
    const headers = new Headers({ 'content-type': 'application/json', 'x-workspace': member.workspaceId })
    for (const name of IDENTIFYING) {
      const value = request.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    const body = data === undefined ? {} : { body: JSON.stringify({ data }) }
    const response = await gateway.pass(new Request(target, { method, headers, ...body }), handle)
    const answer = (await response.json()) as ApiAnswer['body'] // every operation answers an object
    return { status: response.status, body: answer }
  }

/** The data of an answer. Throws for a refused request, with what it says. */
export function dataOf<T>({ status, body }: ApiAnswer): T {
  if (status >= 300) throw new RefusedSample(body.message ?? `The request was refused with status ${status}.`)
  return body.data as T // as the operation answers it
}

/** The data model of the workspace has no place for the sample data. */
export class RefusedSample extends Error {}
