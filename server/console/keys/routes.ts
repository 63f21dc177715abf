import { Elysia } from 'elysia'
import { type Console, doerOf } from '../console'
import { changeKey, endKey, makeKey, showKeys } from './keys'
import { KeyBody, KeyChangeBody } from './schemas'

const KEYS = '/console/api/workspaces/:workspace_id/keys'

export const keyRoutes = ({ door, platform }: Console) =>
  new Elysia({ name: 'console-keys' })
    .get(KEYS, ...door.admin({}, async ({ member }) => ({ data: await showKeys(platform, member) })))
    .post(
      KEYS,
      ...door.admin({ body: KeyBody }, async (visit) => ({
        data: await makeKey(platform, visit.member, visit.body, doerOf(visit)),
      })),
    )
    .patch(
      `${KEYS}/:key_id`,
      ...door.admin({ body: KeyChangeBody }, async (visit) => {
        const key = { workspaceId: visit.member.workspaceId, id: visit.params.key_id }
        return { data: await changeKey(platform, key, visit.body, doerOf(visit)) }
      }),
    )
    .delete(
      `${KEYS}/:key_id`,
      ...door.admin({}, async (visit) => {
        await endKey(platform, { workspaceId: visit.member.workspaceId, id: visit.params.key_id }, doerOf(visit))
        return { data: {} }
      }),
    )
