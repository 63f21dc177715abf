import { expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { createMember } from './members'

const service = useTestService()

const grace = {
  first_name: 'Grace',
  last_name: 'Hopper',
  email_address: 'Grace@Example.com',
  access_level: 'member',
  account_id: null,
} as const

test('the data model has a member by id, by email address in any case, and as an actor', async () => {
  const { db, appContext, workspaceId } = service
  const before = (await appContext.models.get(workspaceId)).version
  const { id } = await createMember(db, workspaceId, grace, appContext.now())
  const model = await appContext.models.reload(workspaceId)
  expect(model.version).toBeGreaterThan(before)
  const member = model.membersById.get(id)
  expect(model.membersByEmail.get('grace@example.com')).toEqual({ ...member } as never) // undefined would not equal it
  expect(model.actors.get(member?.actor ?? -1)).toEqual({ type: 'workspace-member', id })
})

test('a member whose creation fails leaves no actor', async () => {
  const { db, appContext, workspaceId } = service
  const count = async () => (await db.sql`select 1 from relata.actors`).length
  const before = await count()
  const again = { ...grace, email_address: 'GRACE@example.com' }
  await expect(createMember(db, workspaceId, again, appContext.now())).rejects.toThrow(
    'workspace_members_email_address',
  )
  expect(await count()).toBe(before)
})
