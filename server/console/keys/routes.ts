import { Elysia } from 'elysia'
import { type ConsoleContext, auditActorOf } from '../console-context'
import { updateApiKey, revokeApiKey, createApiKey, listApiKeys } from './keys'
import { KeyBody, KeyChangeBody } from './schemas'

const KEYS = '/console/api/workspaces/:workspace_id/keys'

export const keyRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-keys' })
    .get(KEYS, ...guard.admin({}, async ({ member }) => ({ data: await listApiKeys(appContext, member) })))
    .post(
      KEYS,
      ...guard.admin({ body: KeyBody }, async (input) => ({
        data: await createApiKey(appContext, input.member, input.body, auditActorOf(input)),
      })),
    )
    .patch(
      `${KEYS}/:key_id`,
      ...guard.admin({ body: KeyChangeBody }, async (input) => {
        const key = { workspaceId: input.member.workspaceId, id: input.params.key_id }
        return { data: await updateApiKey(appContext, key, input.body, auditActorOf(input)) }
      }),
    )
    .delete(
      `${KEYS}/:key_id`,
      ...guard.admin({}, async (input) => {
        await revokeApiKey(
          appContext,
          { workspaceId: input.member.workspaceId, id: input.params.key_id },
          auditActorOf(input),
        )
        return { data: {} }
      }),
    )
