/** Which first steps an admin has taken in a workspace. See docs/decisions/console.md (Home). */

import { Elysia } from 'elysia'
import type { Kysely } from 'kysely'
import type { DB } from '#db/schema'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { findAttribute, findObject, listTypes } from '#engine/data-model/find'
import { controlQueriesIn, equal, hasRow } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import { STANDARD_OBJECTS } from '#engine/workspaces/standard-objects'
import { GettingStartedAnswer } from './schemas'

export const gettingStartedRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-getting-started' }).get(
    ...guard.admin(
      '/console/api/workspaces/:workspace_id/getting-started',
      { response: GettingStartedAnswer },
      async ({ member }) => ({ data: await readFirstSteps(appContext, member) }),
    ),
  )

async function readFirstSteps(app: AppContext, member: ConsoleMember): Promise<GettingStartedAnswer['data']> {
  const model = await getMemberModel(app, member)
  const control = controlQueriesIn(app.db.sql)
  const { workspaceId } = member
  const [has_imported, isInviting, has_connected] = await Promise.all([
    hasRow(
      control
        .selectFrom('relata.imports')
        .select('id')
        .where(equal({ workspace_id: workspaceId, state: 'finished' })),
    ),
    hasRow(control.selectFrom('relata.invitations').select('id').where('workspace_id', '=', workspaceId)),
    hasConnection(control, workspaceId),
  ])
  return {
    has_imported,
    has_invited: isInviting || model.membersById.size > 1,
    has_pipeline: hasPipeline(model),
    has_connected,
  }
}

/** Whether an account is connected, an app is authorized, or a key was used. */
async function hasConnection(control: Kysely<DB>, workspaceId: string): Promise<boolean> {
  const found = await Promise.all([
    hasRow(control.selectFrom('relata.connected_accounts').select('id').where('workspace_id', '=', workspaceId)),
    hasRow(
      control
        .selectFrom('relata.grants')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('revoked_at', 'is', null),
    ),
    hasRow(
      control
        .selectFrom('relata.tokens')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('last_used_at', 'is not', null),
    ),
  ])
  return found.includes(true)
}

/** Whether the stages of deals are no longer those of a new workspace, or there is a list. */
function hasPipeline(model: DataModel): boolean {
  const deals = findObject(model, 'deals')
  const stage = deals && findAttribute(deals, 'stage')
  const present = stage?.options.filter(({ is_archived }) => !is_archived).map(({ title }) => title)
  return listTypes(model).length > 0 || present?.join('\n') !== FIRST_STAGES.join('\n')
}

const FIRST_STAGES: readonly string[] =
  STANDARD_OBJECTS.find(({ api_slug }) => api_slug === 'deals')?.attributes.find(({ api_slug }) => api_slug === 'stage')
    ?.option_titles ?? []
