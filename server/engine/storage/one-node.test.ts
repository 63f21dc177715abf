/** On Citus, a write connects to the node of its workspace only. Runs with TEST_CITUS_URL; see docs/testing.md. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Database, renderArray } from '#db/connect'
import { attributeClient, attributeInput } from '#testing/attributes'
import { nodeUrls } from '#testing/database'
import { listClient } from '#testing/lists'
import { rollupsOf } from '#testing/rollups'
import { useTestService } from '#testing/use-service'

if (process.env.TEST_CITUS_URL !== undefined) {
  const service = useTestService()
  const lists = listClient(service)
  const attributes = attributeClient(service)
  const rollups = rollupsOf(service)
  let nodes: readonly Database[]
  let list: string
  let parent: string
  let child: string

  beforeAll(async () => {
    nodes = (await nodeUrls(service.url)).map((url) => connect(url, { max: 1, applicationName: 'observer' }))
    list = await lists.list()
    await fillComputed()
  })
  afterAll(async () => void (await Promise.all(nodes.map((node) => node.close()))))

  /** An object with formulas and a look-up, whose records refer to those of another one with a rollup. */
  async function fillComputed(): Promise<void> {
    parent = await attributes.object()
    child = await attributes.object()
    const define = async (object: string, members: object) => {
      const { status, body } = await attributes.create(object, attributeInput({ ...members }))
      if (status !== 200) throw new Error(JSON.stringify(body))
    }
    await define(parent, { api_slug: 'title' })
    await define(child, { api_slug: 'title' })
    await define(child, { api_slug: 'amount', type: 'number' })
    const config = { record_reference: { allowed_objects: [parent] } }
    await define(child, { api_slug: 'parent', type: 'record-reference', config })
    await define(child, { type: 'number', computed: { formula: 'amount * 2' } })
    await define(child, { type: 'date', computed: { formula: 'current_date + amount::int' } })
    await define(child, { computed: { lookup: ['parent', 'title'] } })
    await define(parent, {
      type: 'number',
      computed: { rollup: { through: `${child}.parent`, function: 'sum', of: 'amount' } },
    })
  }

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
  const remove = (id: string, object = 'people') => service.request('DELETE', `/v2/objects/${object}/records/${id}`)
  const merge = (one: string, other: string) =>
    service.request('POST', `${people}/merge`, { data: { primary_record_id: one, secondary_record_id: other } })
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
      ['a creation with formulas, also of the clock', async () => () => create({ title: 'a', amount: 1 }, child)],
      [
        'an update that formulas, look-ups and rollups read',
        async () => {
          const id = await create({ amount: 1, parent: await create({ title: 'a' }, parent) }, child)
          return () =>
            service.request('PATCH', `/v2/objects/${child}/records/${id}`, { data: { values: { amount: 2 } } })
        },
      ],
      [
        'the computation of look-ups and rollups',
        async () => {
          const above = await create({ title: 'a' }, parent)
          await create({ amount: 1, parent: above }, child)
          await rollups.work()
          await service.request('PATCH', `/v2/objects/${parent}/records/${above}`, { data: { values: { title: 'b' } } })
          return rollups.work
        },
      ],
      [
        'a deletion',
        async () => {
          const id = await create({ job_title: 'Engineer' })
          return () => remove(id)
        },
      ],
      [
        'a deletion with unique values and history',
        async () => {
          const id = await create({ job_title: 'Engineer', email_addresses: [email()] })
          await service.request('PATCH', `${people}/${id}`, { data: { values: { job_title: 'Editor' } } })
          return () => remove(id)
        },
      ],
      [
        'a deletion with entries',
        async () => {
          const id = await create({})
          await lists.entry(list, id)
          return () => remove(id)
        },
      ],
      [
        'a deletion of a record that others refer to',
        async () => {
          const company = await create({ name: 'Acme' }, 'companies')
          await create({ company })
          return () => remove(company, 'companies')
        },
      ],
      [
        'a batch of deletions',
        async () => {
          const ids = [await create({ job_title: 'a' }), await create({ job_title: 'b' })]
          return () => batch(ids.map((record_id) => ({ op: 'delete', record_id })))
        },
      ],
      [
        'a merge',
        async () => {
          const [one, other] = [
            await create({ email_addresses: [email()] }),
            await create({ email_addresses: [email()] }),
          ]
          await lists.entry(list, other)
          return () => merge(one, other)
        },
      ],
      [
        'a restoration',
        async () => {
          const company = await create({ name: 'Acme' }, 'companies')
          const id = await create({ company, email_addresses: [email()] })
          await lists.entry(list, id)
          await service.request('PATCH', `${people}/${id}`, { data: { values: { job_title: 'Editor' } } })
          await remove(id)
          return () => service.request('POST', `${people}/${id}/restore`)
        },
      ],
      [
        'a restoration of a merged record',
        async () => {
          const [one, other] = [await create({}), await create({ email_addresses: [email()] })]
          const company = await create({ team: [other] }, 'companies')
          await lists.entry(list, other)
          await merge(one, other)
          await remove(company, 'companies')
          return () => service.request('POST', `${people}/${other}/restore`)
        },
      ],
      [
        'a permanent deletion',
        async () => {
          const company = await create({ name: 'Acme' }, 'companies')
          await create({ company })
          return () => service.request('DELETE', `/v2/objects/companies/records/${company}?permanent=true`)
        },
      ],
    ])('%s', async (_, prepare) => {
      const write = await prepare()
      await disconnect()
      const answer = await write()
      if (answer !== undefined && typeof answer === 'object') expect(answer).toMatchObject({ status: 200 })
      expect(await countConnected()).toBe(1)
    })
  })
}
