/** Limits attempts of which every one counts. `guesses.ts` limits guesses, of which only the wrong ones count. */

import type { Database } from '#db/connect'
import { rateLimited } from '#base/errors/http'
import type { Micros } from '#base/timing/clock'
import type { Rule } from './rules'
import { lockAttempts, saveAttempts } from './store'

/** Counts an attempt on, or by, a subject. Throws 429 before the time at which the rule allows another one. */
export async function claimAttempt(db: Database, subject: string, rule: Rule, now: Micros): Promise<void> {
  const freeAt = await db.sql.begin(async (tx) => {
    const { before } = await lockAttempts(tx, subject, now)
    if (before !== undefined && before.freeAt > now) return before.freeAt
    await saveAttempts(tx, subject, rule(before, now))
    return undefined
  })
  if (freeAt !== undefined) throw tooManyAttempts(freeAt)
}

export const tooManyAttempts = (freeAt: Micros) => rateLimited(new Date(Math.ceil(freeAt / 1000)))
