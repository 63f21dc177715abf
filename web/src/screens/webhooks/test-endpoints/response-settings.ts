/** The configured response of a test endpoint as text. */

import type { TestEndpoint } from '../../../api/webhooks/test-endpoints'

/** The number of requests that still get an error. */
export const remainingFailures = ({ fail_first, received }: TestEndpoint): number => Math.max(0, fail_first - received)

/** "returns 200", "fails 2 more, then returns 202 after 500 ms". */
export function responseSummary(endpoint: TestEndpoint): string {
  const { status, delay_ms } = endpoint
  const failing = remainingFailures(endpoint)
  const first = failing > 0 ? `fails ${failing} more, then ` : ''
  return `${first}returns ${status}${delay_ms > 0 ? ` after ${delay_ms} ms` : ''}`
}

/** One header per line. */
export const formatHeaders = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

/** Undefined if a line is not a header. */
export function parseHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {}
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [written = '', ...values] = line.split(':')
    const name = written.trim()
    if (values.length === 0 || !/^[A-Za-z0-9-]{1,100}$/.test(name)) return undefined
    headers[name] = values.join(':').trim()
  }
  return headers
}
