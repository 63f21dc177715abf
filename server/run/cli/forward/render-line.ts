/** Prints one line for each forwarded request and its answer. */

import { isEventType } from '#vocabulary/event-types'
import type { TestRequest } from '#api/resources/test-endpoints/schemas'
import type { Answer, NoAnswer } from './resend'

/** `07:01:02  POST /  record.created → 200 OK, 12 ms` */
export function renderLine(request: TestRequest, answer: Answer | NoAnswer): string {
  const { at, method, path, body } = request
  const kind = kindIn(body)
  const what = [at.slice(11, 19), ` ${method} ${path}`, ...(kind === undefined ? [] : [` ${kind}`])].join(' ')
  return printable(`${what} → ${'problem' in answer ? answer.problem : outcomeOf(answer)}`)
}

function outcomeOf({ status, statusText, body, ms }: Answer): string {
  const said = status >= 200 && status < 300 ? '' : body.trim()
  return `${`${status} ${statusText}`.trim()}, ${ms} ms${said === '' ? '' : `: ${said}`}`
}

function kindIn(body: string): string | undefined {
  const [, kind = ''] = /"event_type"\s*:\s*"([^"]+)"/.exec(body) ?? []
  return isEventType(kind) ? kind : undefined
}

/** Removes control characters, which a terminal would interpret: the sender of the request is unknown. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ')
