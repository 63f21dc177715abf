/**
 * The second try of failed tests in continuous integration. A change is not refused because of another test that depends on
 * how fast the machine is; the output names that test.
 */

import type { Outcome } from './run-bun'

/** More failures than these have their cause in the change. */
const MOST = 10

export const mayTryAgain = (failures: number, { CI }: Record<string, string | undefined>): boolean =>
  Boolean(CI) && failures > 0 && failures <= MOST

/** `second` counts the second run, which has the failed tests of the first one and may have others beside them. */
export const afterSecondTry = (first: Outcome, second: Outcome): Outcome => ({
  passed: Math.max(first.passed + first.failed - second.failed, 0),
  failed: second.failed,
})
