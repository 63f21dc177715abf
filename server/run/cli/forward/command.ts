import { defineRemoteCommand } from '#run/cli/command'
import { readServiceUrl, readUrl } from '#run/cli/read-arguments'
import { followRequests } from './follow-requests'
import { type ResendAnswer, type NoAnswer, resend } from './resend'
import { connectTo } from './service-client'
import { isEventType } from '#vocabulary/event-types'
import type { TestRequest } from '#api/resources/test-endpoints/schemas'

/** Forwards the requests of a test endpoint to a receiver that the service cannot reach. Runs until it is stopped. */
export const webhooksForward = defineRemoteCommand({
  name: 'webhooks forward',
  summary: 'Forwards the requests of a test endpoint to an address that this machine can reach.',
  options: {
    endpoint: {
      kind: 'text',
      value: '<id>',
      description: 'The id of the test endpoint, shown on its page.',
      isRequired: true,
    },
    to: {
      kind: 'text',
      value: '<url>',
      description: 'The address of the receiver, e.g. http://localhost:3000/hooks.',
      isRequired: true,
    },
    key: {
      kind: 'text',
      value: '<key>',
      description: 'An API key with the scope webhook:read and those of the events; - reads it from standard input.',
      isRequired: true,
    },
    service: { kind: 'text', value: '<url>', description: 'The address of the service. Default: RELATA_BASE_URL.' },
  },
  async runRemotely({ options }, { baseUrl, print, signal }) {
    const to = readUrl('to', options.to)
    const url = readServiceUrl(options.service ?? baseUrl)
    const key = options.key === '-' ? (await Bun.stdin.text()).trim() : options.key
    const service = connectTo(url, key)
    const endpoint = await service.getEndpoint(options.endpoint, signal)
    const requests = followRequests({
      service,
      endpointId: options.endpoint,
      signal,
      onOpen: () => print(`What comes to ${endpoint.url} goes to ${to.href}. Ctrl-C ends it.`),
      onBreak: () => print('The connection to the service is lost; trying again.'),
    })
    for await (const request of requests) print(renderLine(request, await resend(to, request, signal)))
    return 0
  },
})

// Prints one line for each forwarded request and its answer.

/** `07:01:02  POST /  record.created → 200 OK, 12 ms` */
function renderLine(request: TestRequest, answer: ResendAnswer | NoAnswer): string {
  const { at, method, path, body } = request
  const kind = kindIn(body)
  const what = [at.slice(11, 19), ` ${method} ${path}`, ...(kind === undefined ? [] : [` ${kind}`])].join(' ')
  return printable(`${what} → ${'problem' in answer ? answer.problem : outcomeOf(answer)}`)
}

function outcomeOf({ status, statusText, body, ms }: ResendAnswer): string {
  const said = status >= 200 && status < 300 ? '' : body.trim()
  return `${`${status} ${statusText}`.trim()}, ${ms} ms${said === '' ? '' : `: ${said}`}`
}

function kindIn(body: string): string | undefined {
  const [, kind = ''] = /"event_type"\s*:\s*"([^"]+)"/.exec(body) ?? []
  return isEventType(kind) ? kind : undefined
}

/** Removes control characters, which a terminal would interpret: the sender of the request is unknown. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ')
