import { expect, test } from 'bun:test'
import type { TestEndpoint } from '../../../api/webhooks/test-endpoints'
import { responseSummary, formatHeaders, parseHeaders } from './response-settings'

const LINES: [text: string, headers: Record<string, string> | undefined][] = [
  ['', {}],
  ['Retry-After: 5\n\n  X-A :  b: c ', { 'Retry-After': '5', 'X-A': 'b: c' }],
  ['X-Empty:', { 'X-Empty': '' }],
  ['no header', undefined],
  ['bad name: x', undefined],
]

test.each(LINES)('%j', (text, headers) => {
  expect(parseHeaders(text)).toEqual(headers)
  if (headers) expect(parseHeaders(formatHeaders(headers))).toEqual(headers)
})

const endpoint = (part: Partial<TestEndpoint>) =>
  ({ status: 200, delay_ms: 0, fail_first: 0, received: 0, ...part }) as TestEndpoint // all that is looked at

test('describes the response', () => {
  expect(responseSummary(endpoint({}))).toBe('returns 200')
  expect(responseSummary(endpoint({ fail_first: 3, received: 1, delay_ms: 5 }))).toBe(
    'fails 2 more, then returns 200 after 5 ms',
  )
  expect(responseSummary(endpoint({ fail_first: 3, received: 4 }))).toBe('returns 200')
})
