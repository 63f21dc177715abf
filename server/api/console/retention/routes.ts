/** The retention rule of an object, for admins. See docs/privacy.md (Retention). */

import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { audit, type AuditActor } from '#access/audit-log/audit'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { countExpired, type ExpiredCount } from '#api/retention/worker'
import { deleteRule, findRule, type RetentionRule, saveRule, type StoredRule } from '#api/retention/rules'
import { activityWithoutRetention, objectNotFound } from '#base/errors/attributes'
import { timestampFromPostgres } from '#base/timing/clock'
import type { AppContext } from '#context'
import { findActivity, findObject } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import {
  RetentionAnswer,
  RetentionBody,
  type RetentionOutput,
  RetentionPreviewAnswer,
  RetentionPreviewBody,
} from './schemas'

const RETENTION = '/console/api/workspaces/:workspace_id/objects/:object_id/retention'

export const retentionRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-retention' })
    .get(
      ...guard.admin(RETENTION, { response: RetentionAnswer }, async ({ member, params }) => ({
        data: await readRetention(appContext, member, params.object_id),
      })),
    )
    .put(
      ...guard.admin(RETENTION, { response: RetentionAnswer, body: RetentionBody }, async (input) => {
        const change = { rule: input.body.rule, auditActor: auditActorOf(input) }
        return { data: await replaceRule(appContext, input.member, input.params.object_id, change) }
      }),
    )
    .post(
      ...guard.admin(
        `${RETENTION}/preview`,
        { response: RetentionPreviewAnswer, body: RetentionPreviewBody },
        async (input) => ({
          data: await previewRule(appContext, input.member, input.params.object_id, input.body.days),
        }),
      ),
    )

async function readRetention({ db, models }: AppContext, { workspaceId }: ConsoleMember, slugOrId: string) {
  const { id } = requireObject(await models.get(workspaceId), slugOrId)
  return renderRule(await findRule(db.sql, workspaceId, id))
}

const renderRule = (stored: StoredRule | undefined): RetentionOutput => ({
  rule: stored === undefined ? null : ruleOf(stored),
  next_run_at: stored?.due_at == null ? null : timestampFromPostgres(stored.due_at),
  last_run:
    stored?.ran_at == null
      ? null
      : { ended_at: timestampFromPostgres(stored.ran_at), deleted_records: stored.ran_deleted ?? 0 },
})

const ruleOf = ({ days, action }: RetentionRule): RetentionRule => ({ days, action })

interface RuleChange {
  readonly rule: RetentionRule | null
  readonly auditActor: AuditActor
}

/** Throws 404 for an unknown object. */
async function replaceRule(
  { db, models, now }: AppContext,
  { workspaceId }: ConsoleMember,
  slugOrId: string,
  { rule, auditActor }: RuleChange,
): Promise<RetentionOutput> {
  const object = requireObject(await models.get(workspaceId), slugOrId)
  const stored = await db.sql.begin(async (tx) => {
    const before = await findRule(tx, workspaceId, object.id)
    if (rule === null) await deleteRule(tx, workspaceId, object.id)
    else await saveRule(tx, { workspaceId, objectId: object.id }, rule, now())
    await audit(tx, {
      ...auditActor,
      workspaceId,
      action: 'object.retention-changed',
      subject: { type: 'object', id: object.id, name: object.plural_noun },
      details: { before: before === undefined ? null : ruleOf(before), after: rule },
      now: now(),
    })
    return findRule(tx, workspaceId, object.id)
  })
  return renderRule(stored as StoredRule | undefined) // the driver's type for the callback's result is wider
}

async function previewRule(
  { db, models, now }: AppContext,
  { workspaceId }: ConsoleMember,
  slugOrId: string,
  days: number,
): Promise<ExpiredCount> {
  const model = await models.get(workspaceId)
  return countExpired(db.sql, model, requireObject(model, slugOrId), { days, now: now() })
}

/** Finds disabled objects also. */
function requireObject(model: DataModel, slugOrId: string): ObjectType {
  const object = findObject(model, slugOrId)
  if (object === undefined && findActivity(model, slugOrId) !== undefined) throw activityWithoutRetention(slugOrId)
  if (object === undefined) throw objectNotFound(slugOrId)
  return object
}
