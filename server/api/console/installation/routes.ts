import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { nothingHeld } from '#base/errors/access'
import { decide } from '#access/installation/hold'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { Done } from '#api/console/schemas'

const DecisionBody = Type.Object({
  decision: Type.Enum(['move', 'copy'], {
    description: 'Send everything that waits from the new address, or drop it and deactivate all webhooks.',
  }),
})

/** The decision about a database that may be a copy, for the admins of any workspace. The session tells them that it is due. */
export const installationRoutes = ({ guard, appContext: { db, now } }: ConsoleContext) =>
  new Elysia({ name: 'console-installation' }).post(
    '/console/api/workspaces/:workspace_id/installation',
    ...guard.admin({ response: Done, body: DecisionBody }, async (input) => {
      const decider = { ...auditActorOf(input), workspaceId: input.member.workspaceId }
      if (!(await decide(db, input.body.decision, decider, now()))) throw nothingHeld()
      return { data: {} }
    }),
  )
