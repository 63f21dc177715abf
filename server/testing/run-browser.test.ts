import { expect, test } from 'bun:test'
import { countJourneys } from './run-browser'

test.each([
  ['{"stats":{"expected":24,"unexpected":0,"flaky":0,"skipped":0}}', 0, { passed: 24, failed: 0 }],
  ['{"stats":{"expected":20,"unexpected":3,"flaky":0,"skipped":0}}', 1, { passed: 20, failed: 3 }],
  ['{"stats":{"expected":24,"unexpected":0}}', 1, { passed: 24, failed: 1 }],
  ['{}', 1, { passed: 0, failed: 1 }],
  ['', 1, { passed: 0, failed: 1 }],
])('%s and exit code %d', (report, exitCode, outcome) => {
  expect(countJourneys(report, exitCode)).toEqual(outcome)
})
