import { Elysia } from 'elysia'
import { type Console, auditActorOf } from '../console'
import { changeKey, endKey, makeKey, showKeys } from './keys'
import { KeyBody, KeyChangeBody } from './schemas'

const KEYS = '/console/api/workspaces/:workspace_id/keys'

export const keyRoutes = ({ guard, appContext }: Console) =>
  new Elysia({ name: 'console-keys' })
    .get(KEYS, ...guard.admin({}, async ({ member }) => ({ data: await showKeys(appContext, member) })))
    .post(
      KEYS,
      ...guard.admin({ body: KeyBody }, async (visit) => ({
        data: await makeKey(appContext, visit.member, visit.body, auditActorOf(visit)),
      })),
    )
    .patch(
      `${KEYS}/:key_id`,
      ...guard.admin({ body: KeyChangeBody }, async (visit) => {
        const key = { workspaceId: visit.member.workspaceId, id: visit.params.key_id }
        return { data: await changeKey(appContext, key, visit.body, auditActorOf(visit)) }
      }),
    )
    .delete(
      `${KEYS}/:key_id`,
      ...guard.admin({}, async (visit) => {
        await endKey(
          appContext,
          { workspaceId: visit.member.workspaceId, id: visit.params.key_id },
          auditActorOf(visit),
        )
        return { data: {} }
      }),
    )
