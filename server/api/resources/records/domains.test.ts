import { expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const DOMAIN = 'tc_ec07_base-test-1.com'

const service = useTestService()

const companies = '/v2/objects/companies/records'
const upsert = (domain: string) =>
  service.request('PUT', `${companies}?matching_attribute=domains`, { data: { values: { domains: [domain] } } })

test('200 for a domain with underscores, which asserts, filters and reads find', async () => {
  const { status, body } = await service.request('POST', companies, { data: { values: { domains: [DOMAIN] } } })
  expect(status).toBe(200)
  expect(body.data.values.domains).toMatchObject([{ domain: DOMAIN, root_domain: DOMAIN }])
  expect((await upsert(`https://TC_EC07_base-test-1.com/about`)).body.data.id).toEqual(body.data.id)
  const found = await service.request('POST', `${companies}/query`, { filter: { domains: DOMAIN } })
  expect(found.body.data.map(({ id }: { id: object }) => id)).toEqual([body.data.id])
})

test('400 for an email address with such a domain', async () => {
  const data = { values: { email_addresses: [`ada@${DOMAIN}`] } }
  const { status, body } = await service.request('POST', '/v2/objects/people/records', { data })
  expect([status, body.code]).toEqual([400, 'validation_type'])
})
