import { Elysia } from 'elysia'
import { nothingHeld } from '#base/errors/access'
import { readBackupState } from '#access/installation/backup-schedule'
import { decide } from '#access/installation/hold'
import { timestampFromMicros } from '#base/timing/clock'
import type { AppContext } from '#context'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { Done } from '#api/console/schemas'
import { BackupsAnswer, type BackupsOutput, DecisionBody } from './schemas'

const INSTALLATION = '/console/api/workspaces/:workspace_id/installation'

/**
 * What concerns the whole installation, for the admins of any workspace: its scheduled backups, and the decision about a database that
 * may be a copy. The session tells them that it is due.
 */
export const installationRoutes = ({ guard, appContext }: ConsoleContext) => {
  const { db, now } = appContext
  return new Elysia({ name: 'console-installation' })
    .post(
      ...guard.admin(INSTALLATION, { response: Done, body: DecisionBody }, async (input) => {
        const decider = { ...auditActorOf(input), workspaceId: input.member.workspaceId }
        if (!(await decide(db, input.body.decision, decider, now()))) throw nothingHeld()
        return { data: {} }
      }),
    )
    .get(
      ...guard.admin(`${INSTALLATION}/backups`, { response: BackupsAnswer }, async () => ({
        data: await findBackups(appContext),
      })),
    )
}

/** Returns null when no backups are scheduled. Where they are and why one failed is for operators, who have the log. */
async function findBackups({ db, now, settings: { backups } }: AppContext): Promise<BackupsOutput | null> {
  const state = backups && (await readBackupState(db.sql, backups, now()))
  if (backups === undefined || state === undefined) return null
  return {
    every_seconds: backups.every / 1_000_000,
    since: timestampFromMicros(state.since),
    last_succeeded_at: state.last === undefined ? null : timestampFromMicros(state.last.at),
    is_failing: state.failuresInARow > 0,
    is_overdue: state.isOverdue,
  }
}
