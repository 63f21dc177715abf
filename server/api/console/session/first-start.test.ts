import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createApp } from '../../../app'
import { createModelCache, type ModelCache } from '#engine/data-model/cache'
import { createClient, type Client } from '#testing/client'
import { testDatabase, type TestDatabase } from '#testing/database'
import { useTestService } from '#testing/use-service'

const admin = {
  email_address: 'Ada@example.com',
  password: 'correct horse battery',
  first_name: 'Ada',
  last_name: 'Lovelace',
  workspace_name: 'Anályticäl Engines, Ltd.',
}

const service = useTestService()
let empty: TestDatabase
let models: ModelCache
let request: Client
beforeAll(async () => {
  empty = await testDatabase()
  models = await createModelCache(empty.db)
  request = createClient(createApp({ ...service.appContext, db: empty.db, models }), '')
})
afterAll(async () => {
  await models.close()
  await empty.drop()
})

const start = (body: object = admin) => request('POST', '/console/api/first-start', body, { key: null })

describe('POST /console/api/first-start', () => {
  test.each([
    [{ password: 'short' }, 'at least 10'],
    [{ password: 'password123' }, 'too common'],
    [{ password: 'ada@example.com' }, 'email address'],
    [{ email_address: 'ada' }, 'email_address'],
    [{ workspace_name: ' ' }, 'workspace_name'],
  ])('400 for %p', async (change, words) => {
    const { status, body } = await start({ ...admin, ...change })
    expect([status, body.message]).toEqual([400, expect.stringContaining(words)])
  })

  test('200 with the workspace for one of several concurrent requests; 409 for the others and after that', async () => {
    const before = await request('GET', '/console/api/session', undefined, { key: null })
    expect(before.body.data.is_first_start).toBe(true)
    const answers = await Promise.all([start(), start(), start()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect((await start()).body.code).toBe('first_start_done')
    const cookie =
      answers
        .find(({ status }) => status === 200)
        ?.headers.get('set-cookie')
        ?.split(';')[0] ?? ''
    const { body } = await request('GET', '/console/api/session', undefined, { key: null, headers: { Cookie: cookie } })
    expect(body.data).toMatchObject({
      is_first_start: false,
      account: { email_address: 'ada@example.com' },
      workspaces: [{ name: admin.workspace_name, slug: 'analytical-engines-ltd', access_level: 'admin' }],
    })
    const [{ id }] = body.data.workspaces
    const headers = { Cookie: cookie, 'X-Workspace': id }
    expect((await request('GET', '/console/v2/objects', undefined, { key: null, headers })).body.data).toHaveLength(5)
  })
})
