import { expect, test } from 'bun:test'
import { periodName } from './periods'

test.each([
  ['quarter', '2026-04-01', 'Q2 2026'],
  ['year', '2026-01-01', '2026'],
  ['month', 'never', 'never'],
] as const)('the name of a %s from %s', (step, day, name) => expect(periodName(step, day)).toBe(name))
