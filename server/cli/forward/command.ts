import { defineRemoteCommand, UsageError } from '../command'
import { followRequests } from './follow-requests'
import { resend } from './resend'
import { connectTo } from './service-client'
import { renderLine } from './render-line'

/** Brings what comes to a test endpoint to a receiver that nobody outside can reach. Goes on until it is stopped. */
export const webhooksForward = defineRemoteCommand({
  name: 'webhooks forward',
  summary: 'Sends what comes to a test endpoint to an address of this machine, live.',
  options: {
    endpoint: {
      kind: 'text',
      value: '<id>',
      description: 'The test endpoint; its page shows its id.',
      isRequired: true,
    },
    to: {
      kind: 'text',
      value: '<url>',
      description: 'Where to send, e.g. http://localhost:3000/hooks.',
      isRequired: true,
    },
    key: {
      kind: 'text',
      value: '<key>',
      description: 'An API key with the scope webhook:read and those of what comes; - reads it from standard input.',
      isRequired: true,
    },
    service: { kind: 'text', value: '<url>', description: 'Where the service is; RELATA_BASE_URL when not given.' },
  },
  async runRemotely({ options }, { baseUrl, print, signal }) {
    const to = readUrl('to', options.to)
    const url = readUrl('service', options.service ?? baseUrl)
    const key = options.key === '-' ? (await Bun.stdin.text()).trim() : options.key
    const service = connectTo(url.href.replace(/\/$/, ''), key)
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

function readUrl(option: string, text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--${option} is an address that begins with http:// or https://, not "${text}".`)
  }
  return url
}
