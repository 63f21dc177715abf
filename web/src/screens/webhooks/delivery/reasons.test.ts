import { expect, test } from 'bun:test'
import { codeOf, hasSucceeded, outcomeOf, stateOf } from './reasons'

const attempt = (status_code: number | null, error: { code: string; message: string } | null = null) => ({
  number: 1,
  at: '2026-01-01T00:00:00Z',
  duration_ms: 1,
  status_code,
  error,
})

const late = { code: 'timed_out', message: 'The receiver did not finish its answer within 5 seconds.' }

const OUTCOMES: [status: number | null, error: typeof late | null, code: string, words: RegExp, ok: boolean][] = [
  [200, null, '200', /Delivered/, true],
  [299, null, '299', /Delivered/, true],
  [302, null, '302', /Redirects aren't followed/, false],
  [404, null, '404', /nothing at this path/, false],
  [418, null, '418', /rejected the request/, false],
  [500, null, '500', /server error/, false],
  [599, null, '599', /failed/, false],
  [null, late, 'Timed out', /within 5 seconds/, false],
  [200, late, 'Timed out', /within 5 seconds/, false],
  [null, { code: 'new_problem', message: 'Something.' }, 'new_problem', /Something/, false],
]

test.each(OUTCOMES)('%p %p', (status, error, code, words, ok) => {
  const made = attempt(status, error)
  expect(codeOf(made)).toBe(code)
  expect(outcomeOf(made)).toMatch(words)
  expect(hasSucceeded(made)).toBe(ok)
})

test('the label of a delivery tells a first attempt from a retry', () => {
  expect(stateOf({ status: 'waiting', attempts: [] }).label).toBe('Pending')
  expect(stateOf({ status: 'waiting', attempts: [attempt(500)] }).label).toBe('Retrying')
  expect(stateOf({ status: 'waiting', attempts: [attempt(200)] }).label).toBe('Pending')
  expect(stateOf({ status: 'failed', attempts: [attempt(500)] }).label).toBe('Failed')
})
