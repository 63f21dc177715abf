/** See docs/decisions/console.md (Home). */

import { expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)

const root = () => `/console/api/workspaces/${service.workspaceId}`
const read = async () => (await admin.ask('GET', `${root()}/getting-started`)).body.data

test('200 with what an admin has done; 403 for members', async () => {
  await service.db.sql`update relata.tokens set last_used_at = null`
  const before = await read()
  expect(before).toMatchObject({ has_imported: false, has_pipeline: false, has_connected: false })
  await listClient(service).list()
  await service.db.sql`update relata.tokens set last_used_at = now()`
  await service.db.sql`
    insert into relata.imports (workspace_id, id, object_id, created_by, file_name, state, created_at)
    select ${service.workspaceId}, gen_random_uuid(), id, ${service.member.id}, 'people.csv', 'finished', now()
    from relata.objects where workspace_id = ${service.workspaceId} limit 1`
  expect(await read()).toEqual({ has_imported: true, has_invited: true, has_pipeline: true, has_connected: true })
})
