import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { grantsOfObject, listObjectAccess, replaceObjectGrants } from './object-access'
import { ObjectAccessAnswer, ObjectAccessBody, OwnObjectAccessAnswer } from './schemas'

const WORKSPACE = '/console/api/workspaces/:workspace_id'
const ACCESS = `${WORKSPACE}/objects/:object_id/access`

export const objectAccessRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-object-access' })
    .get(
      `${WORKSPACE}/object-access`,
      ...guard.member({ response: OwnObjectAccessAnswer }, async ({ member }) => ({
        data: await listObjectAccess(appContext, member),
      })),
    )
    .get(
      ACCESS,
      ...guard.admin({ response: ObjectAccessAnswer }, async ({ member, params }) => ({
        data: await grantsOfObject(appContext, member, params.object_id),
      })),
    )
    .put(
      ACCESS,
      ...guard.admin({ response: ObjectAccessAnswer, body: ObjectAccessBody }, async (input) => {
        const { member, params, body } = input
        const change = { grants: body, auditActor: auditActorOf(input) }
        return { data: await replaceObjectGrants(appContext, member, params.object_id, change) }
      }),
    )
