/** On Citus, a write connects to the node of its workspace only. Runs with TEST_CITUS_URL; see docs/testing.md. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Database, renderArray } from '#db/connect'
import { nodeUrls } from '#testing/database'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

if (process.env.TEST_CITUS_URL !== undefined) {
  const service = useTestService()
  const lists = listClient(service)
  let nodes: readonly Database[]
  let list: string

  beforeAll(async () => {
    nodes = (await nodeUrls(service.url)).map((url) => connect(url, { max: 1, applicationName: 'observer' }))
    list = await lists.list()
  })
  afterAll(async () => void (await Promise.all(nodes.map((node) => node.close()))))

  /** The names of the coordinator's connections to nodes for the service. Citus has others of its own. */
  async function findNames(): Promise<string[]> {
    const rows = await service.db.sql<{ name: string }[]>`
      select 'citus_internal gpid=' || citus_calculate_gpid(n.nodeid, a.pid) as name
      from pg_stat_activity a, pg_dist_node n
      where n.groupid = 0 and a.datname = current_database() and a.application_name = 'relata test'`
    return rows.map(({ name }) => name)
  }

  /** Ends the connections of the service, and with them those of the coordinator to the nodes. */
  async function disconnect(): Promise<void> {
    const { sql } = service.db
    await sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and application_name = 'relata test' order by pid = pg_backend_pid()`.catch(
      () => {},
    )
  }

  /** The number of nodes to which the coordinator has connections for the service. */
  async function countConnected(): Promise<number> {
    const names = renderArray(await findNames())
    const counts = await Promise.all(
      nodes.map(
        ({ sql }) => sql`select 1 from pg_stat_activity where application_name = any(${names}::text[]) limit 1`,
      ),
    )
    return counts.filter(({ length }) => length > 0).length
  }

  const people = '/v2/objects/people/records'
  const create = async (values: object, object = 'people'): Promise<string> => {
    const { status, body } = await service.request('POST', `/v2/objects/${object}/records`, { data: { values } })
    expect(status).toBe(200)
    return body.data.id.record_id
  }
  const batch = (operations: readonly object[]) => service.request('POST', `${people}/batch`, { data: { operations } })
  const email = () => `${crypto.randomUUID()}@example.com`

  describe('touches one node:', () => {
    test.each<[string, () => Promise<() => Promise<unknown>>]>([
      ['a creation', async () => () => create({ job_title: 'Engineer' })],
      ['one with a unique value', async () => () => create({ email_addresses: [email()] })],
      ['one with several', async () => () => create({ email_addresses: [email(), email()] })],
      [
        'one with a reference',
        async () => {
          const deal = await create({ name: 'Acme' }, 'companies')
          return () => create({ company: deal })
        },
      ],
      [
        'an update with history',
        async () => {
          const id = await create({ job_title: 'Engineer' })
          return () => service.request('PATCH', `${people}/${id}`, { data: { values: { job_title: 'Editor' } } })
        },
      ],
      [
        'an update of unique values',
        async () => {
          const id = await create({ email_addresses: [email()] })
          return () => service.request('PUT', `${people}/${id}`, { data: { values: { email_addresses: [email()] } } })
        },
      ],
      [
        'a batch of creations',
        async () => () => batch([0, 1].map(() => ({ op: 'create', values: { email_addresses: [email()] } }))),
      ],
      [
        'a batch of updates',
        async () => {
          const ids = [await create({ job_title: 'a' }), await create({ job_title: 'b' })]
          return () => batch(ids.map((record_id) => ({ op: 'update', record_id, values: { job_title: 'c' } })))
        },
      ],
      [
        'an entry',
        async () => {
          const id = await create({})
          return () => lists.entry(list, id)
        },
      ],
    ])('%s', async (_, prepare) => {
      const write = await prepare()
      await disconnect()
      await write()
      expect(await countConnected()).toBe(1)
    })
  })
}
