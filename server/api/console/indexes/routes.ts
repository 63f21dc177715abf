/** Lists the indexes of a workspace, and keeps, rebuilds and drops them. See docs/reference/indexes.md. */

import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { IndexesAnswer, type IndexOutput, type SteerAction, SteerBody } from './schemas'
import { Done } from '#api/console/schemas'
import { audit, type AuditActor } from '#access/audit-log/audit'
import type { AppContext } from '#context'
import { loadDataModel } from '#engine/data-model/load'
import { indexNotFound } from '#base/errors/queries'
import { keepIndex, type ListedIndex, listIndexes, rebuildIndex, refuseIndex } from '#engine/indexes/manage'
import { timestampOrNull } from '#base/timing/clock'

const INDEXES = '/console/api/workspaces/:workspace_id/indexes'

/** The indexes of the index advisor, for admins. Operators have the same with `bun relata indexes`. */
export const indexRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-indexes' })
    .get(
      ...guard.admin(INDEXES, { response: IndexesAnswer }, async ({ member }) => ({
        data: await listWorkspaceIndexes(appContext, member.workspaceId),
      })),
    )
    .post(
      ...guard.admin(`${INDEXES}/:index_name`, { response: Done, body: SteerBody }, async (input) => {
        const { member, params, body } = input
        const steered = { name: params.index_name, action: body.action }
        await steerIndex(appContext, member.workspaceId, steered, auditActorOf(input))
        return { data: {} }
      }),
    )

async function listWorkspaceIndexes({ db }: AppContext, workspaceId: string): Promise<IndexOutput[]> {
  const indexes = await listIndexes(db, workspaceId)
  return indexes.map(({ entityType, last_used_at, ...index }) => ({
    ...index,
    object: entityType,
    last_used_at: timestampOrNull(last_used_at),
  }))
}

/** Throws 404. The background worker builds the index later. A drop is complete when the request ends. */
async function steerIndex(
  { db, now }: AppContext,
  workspaceId: string,
  { name, action }: { readonly name: string; readonly action: SteerAction },
  auditActor: AuditActor,
): Promise<void> {
  const index = (await listIndexes(db, workspaceId)).find((one) => one.name === name)
  if (!index) throw indexNotFound(name)
  const { steer, audited } = ACTIONS[action]
  const subject = { type: 'index', id: name, name: subjectName(index) }
  const { entityType: object, attributes, kind } = index
  const details = { object, attributes, kind }
  const isFound = await steer(db, await loadDataModel(db, workspaceId), name, (tx) =>
    audit(tx, { ...auditActor, workspaceId, action: audited, subject, details, now: now() }),
  )
  if (!isFound) throw indexNotFound(name)
}

const ACTIONS = {
  keep: { steer: keepIndex, audited: 'index.kept' },
  rebuild: { steer: rebuildIndex, audited: 'index.rebuilt' },
  drop: { steer: refuseIndex, audited: 'index.dropped' },
} as const

const subjectName = ({ entityType, attributes }: ListedIndex): string =>
  [entityType, attributes.join(', ')].filter((part) => part !== '').join(' · ')
