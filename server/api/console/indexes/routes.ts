import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { listWorkspaceIndexes, steerIndex } from './indexes'
import { IndexesAnswer, SteerBody } from './schemas'
import { Done } from '#api/console/schemas'

const INDEXES = '/console/api/workspaces/:workspace_id/indexes'

/** The indexes of the index advisor, for admins. Operators have the same with `bun relata indexes`. */
export const indexRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-indexes' })
    .get(
      INDEXES,
      ...guard.admin({ response: IndexesAnswer }, async ({ member }) => ({
        data: await listWorkspaceIndexes(appContext, member.workspaceId),
      })),
    )
    .post(
      `${INDEXES}/:index_name`,
      ...guard.admin({ response: Done, body: SteerBody }, async (input) => {
        const { member, params, body } = input
        const steered = { name: params.index_name, action: body.action }
        await steerIndex(appContext, member.workspaceId, steered, auditActorOf(input))
        return { data: {} }
      }),
    )
