import { describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService()

const assert = (values: object, matching = 'email_addresses', more: object = {}) =>
  service.request('PUT', `/v2/objects/people/records?matching_attribute=${matching}`, { data: { values, ...more } })
const addresses = (body: { data: { values: { email_addresses: { email_address: string }[] } } }) =>
  body.data.values.email_addresses.map(({ email_address }) => email_address)

describe('PUT /v2/objects/{object}/records', () => {
  test('200 with a new record when none matches, and with the matching record after that', async () => {
    const first = await assert({ email_addresses: ['one@example.com'], job_title: 'Engineer' })
    const second = await assert({ email_addresses: ['ONE@example.com'], job_title: 'Director' })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.data.id).toEqual(first.body.data.id)
    expect(second.body.data.values.job_title[0].value).toBe('Director')
  })

  test('200 appends to the matching multiselect and replaces the values of others', async () => {
    await assert({ email_addresses: ['two@example.com'], phone_numbers: ['+12125551234', '+12125551235'] })
    const { body } = await assert({
      email_addresses: ['two-b@example.com', 'two@example.com'],
      phone_numbers: ['+12125551235'],
    })
    expect(addresses(body)).toEqual(['two-b@example.com', 'two@example.com'])
    expect(body.data.values.phone_numbers.map(({ phone_number }: { phone_number: string }) => phone_number)).toEqual([
      '+12125551235',
    ])
  })

  test('200 writes values_on_create only to a new record', async () => {
    const first = await assert({ email_addresses: ['three@example.com'] }, 'email_addresses', {
      values_on_create: { job_title: 'New' },
    })
    expect(first.body.data.values.job_title[0].value).toBe('New')
    await service.request('PATCH', `/v2/objects/people/records/${first.body.data.id.record_id}`, {
      data: { values: { job_title: 'Old' } },
    })
    const second = await assert({ email_addresses: ['three@example.com'] }, 'email_addresses', {
      values_on_create: { job_title: 'New' },
    })
    expect(second.body.data.values.job_title[0].value).toBe('Old')
  })

  test('200 for all of many concurrent requests, which write one record', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        assert({ email_addresses: ['race@example.com'], job_title: `Job ${index}` }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.data.id.record_id)).size).toBe(1)
  })

  test('400 when the values match two records', async () => {
    await assert({ email_addresses: ['four@example.com'] })
    await assert({ email_addresses: ['five@example.com'] })
    const { status, body } = await assert({ email_addresses: ['four@example.com', 'five@example.com'] })
    expect([status, body.code]).toEqual([400, 'multiple_match_results'])
  })

  const refused: [string, string, object, string, string][] = [
    ['no matching attribute', '', {}, 'missing_value', '"matching_attribute"'],
    [
      'an unknown one',
      'emails',
      {},
      'value_not_found',
      'No attribute was found for matching_attribute slug/ID "emails"',
    ],
    [
      'one that is not unique',
      'job_title',
      { job_title: 'x' },
      'matching_attribute_definition_not_unique',
      'not unique',
    ],
    ['no value of it', 'email_addresses', { job_title: 'x' }, 'missing_value', 'Required value'],
  ]
  test.each(refused)('400 for %s', async (_, matching, values, code, message) => {
    const { status, body } = await assert(values, matching)
    expect([status, body.code]).toEqual([400, code])
    expect(body.message).toContain(message)
  })

  test('400 without matching_attribute', async () => {
    const { status, body } = await service.request('PUT', '/v2/objects/people/records', { data: { values: {} } })
    expect([status, body.code]).toEqual([400, 'missing_value'])
  })
})
