import { expect, test } from 'bun:test'
import { afterSecondTry, mayTryAgain } from './second-try'

test.each([
  [0, { CI: 'true' }, false],
  [1, { CI: 'true' }, true],
  [10, { CI: 'true' }, true],
  [11, { CI: 'true' }, false],
  [1, {}, false],
  [1, { CI: '' }, false],
])('mayTryAgain with %d failures and %j is %p', (failures, env, expected) =>
  expect(mayTryAgain(failures, env)).toBe(expected),
)

test.each([
  [
    { passed: 98, failed: 2 },
    { passed: 40, failed: 0 },
    { passed: 100, failed: 0 },
  ],
  [
    { passed: 98, failed: 2 },
    { passed: 39, failed: 1 },
    { passed: 99, failed: 1 },
  ],
  [
    { passed: 98, failed: 2 },
    { passed: 0, failed: 1 },
    { passed: 99, failed: 1 },
  ],
])('afterSecondTry of %j and %j is %j', (first, second, expected) =>
  expect(afterSecondTry(first, second)).toEqual(expected),
)
