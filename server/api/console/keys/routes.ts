import { Elysia } from 'elysia'
import { type ConsoleContext, auditActorOf } from '#api/console/console-context'
import { updateApiKey, revokeApiKey, createApiKey, listApiKeys } from './keys'
import { KeyAnswer, KeyBody, KeyChangeBody, KeysAnswer, NewKeyAnswer } from './schemas'
import { Done } from '#api/console/schemas'

const KEYS = '/console/api/workspaces/:workspace_id/keys'

export const keyRoutes = ({ guard, appContext }: ConsoleContext) => {
  const permitted = guard.permitted('api_keys')
  return new Elysia({ name: 'console-keys' })
    .get(
      KEYS,
      ...permitted({ response: KeysAnswer }, async ({ member }) => ({ data: await listApiKeys(appContext, member) })),
    )
    .post(
      KEYS,
      ...permitted({ response: NewKeyAnswer, body: KeyBody }, async (input) => ({
        data: await createApiKey(appContext, input.member, input.body, auditActorOf(input)),
      })),
    )
    .patch(
      `${KEYS}/:key_id`,
      ...permitted({ response: KeyAnswer, body: KeyChangeBody }, async (input) => {
        const { member, params, body } = input
        return { data: await updateApiKey(appContext, member, params.key_id, body, auditActorOf(input)) }
      }),
    )
    .delete(
      `${KEYS}/:key_id`,
      ...permitted({ response: Done }, async (input) => {
        await revokeApiKey(appContext, input.member, input.params.key_id, auditActorOf(input))
        return { data: {} }
      }),
    )
}
