import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { COPY, holdSending, ORIGINAL, startAt } from '#testing/installation'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let path: string
beforeAll(async () => {
  path = `/console/api/workspaces/${service.workspaceId}/installation`
})
beforeEach(() => holdSending(service))

const holdOf = async (person: Person) => (await person.ask('GET', '/console/api/session')).body.data.hold

describe('GET /console/api/session', () => {
  test('200 with the addresses for an admin, without them for others, and without a hold', async () => {
    expect(await holdOf(admin)).toEqual({
      held_at: expect.stringContaining('T'),
      served_url: ORIGINAL.base_url,
      found_url: COPY.base_url,
    })
    expect(await holdOf(member)).toBeNull()
    const signedOut = await service.request('GET', '/console/api/session', undefined, { key: null })
    expect(signedOut.body.data.hold).toBeNull()
    await startAt(service, ORIGINAL)
    expect(await holdOf(admin)).toBeNull()
  })
})

describe('POST …/installation', () => {
  test.each([
    ['move', 'installation.moved'],
    ['copy', 'installation.copied'],
  ])('200 for %s, with an entry in the audit log', async (decision, action) => {
    expect((await admin.ask('POST', path, { decision })).status).toBe(200)
    expect(await holdOf(admin)).toBeNull()
    const { body } = await admin.ask('GET', `/console/api/workspaces/${service.workspaceId}/audit-log?limit=1`)
    expect(body.data).toMatchObject([
      {
        action,
        actor: { type: 'workspace-member', id: admin.memberIds[service.workspaceId] },
        subject: { type: 'installation', name: COPY.base_url },
        details: { before: ORIGINAL.base_url, after: COPY.base_url },
      },
    ])
  })

  test('409 when nothing is held any more', async () => {
    const answers = await Promise.all(['move', 'copy'].map((decision) => admin.ask('POST', path, { decision })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('nothing_held')
  })

  test('403 for members, 400 for another decision', async () => {
    expect((await member.ask('POST', path, { decision: 'move' })).status).toBe(403)
    expect((await admin.ask('POST', path, { decision: 'hold' })).status).toBe(400)
    expect(await holdOf(admin)).not.toBeNull()
  })
})
