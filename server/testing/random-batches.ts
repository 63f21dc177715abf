/** Random operations of a batch over few records and few values, so that operations depend on each other and conflict. */

import fc from 'fast-check'
import { attributeClient, attributeInput } from './attributes'
import type { TestService } from './service'

/** Every kind of attribute whose writes differ, and every kind of relationship. */
export async function makeObjects(service: TestService): Promise<void> {
  const { create } = attributeClient(service)
  for (const api_slug of ['port', 'ship']) {
    const data = { api_slug, singular_noun: api_slug, plural_noun: `${api_slug}s` }
    await service.request('POST', '/v2/objects', { data })
  }
  const related = (api_slug: string, is_multiselect: boolean, object: string, isOtherMany: boolean) => ({
    api_slug,
    type: 'record-reference',
    is_multiselect,
    config: { record_reference: { allowed_objects: [object] } },
    relationship: { object, title: `${api_slug} of`, api_slug: `${api_slug}_of`, is_multiselect: isOtherMany },
  })
  const attributes = [
    { api_slug: 'code', is_unique: true },
    { api_slug: 'mails', type: 'email-address', is_unique: true, is_multiselect: true },
    { api_slug: 'note' },
    { api_slug: 'size', type: 'number' },
    {
      api_slug: 'price',
      type: 'currency',
      config: { currency: { default_currency_code: 'EUR', display_type: 'code' } },
    },
    { api_slug: 'seen', type: 'timestamp' },
    { api_slug: 'kind', is_required: true, default_value: { type: 'static', template: [{ value: 'new' }] } },
    { api_slug: 'next', type: 'record-reference', config: { record_reference: { allowed_objects: ['ship'] } } },
    related('home', false, 'port', false),
    related('berth', false, 'port', true),
    related('calls', true, 'port', true),
    related('leader', false, 'ship', true),
    related('convoy', true, 'ship', true),
    related('twin', false, 'ship', false),
  ]
  for (const attribute of attributes) {
    const { status, body } = await create('ship', attributeInput(attribute))
    if (status !== 200) throw new Error(`Attribute ${attribute.api_slug}: ${body.message}`)
  }
}

export const SLUGS = [
  'code',
  'mails',
  'note',
  'size',
  'price',
  'seen',
  'kind',
  'next',
  'home',
  'berth',
  'calls',
  'leader',
  'convoy',
  'twin',
]

/** Numbers name records; see `withIds`. */
export interface RandomOperation {
  readonly op: 'create' | 'update' | 'upsert' | 'delete'
  readonly record: number
  readonly mode: 'append' | 'overwrite'
  readonly matching: 'code' | 'mails' | 'note'
  readonly values: Readonly<Record<string, unknown>>
  readonly valuesOnCreate: Readonly<Record<string, unknown>>
}

const code = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const mail = fc.constantFrom('1@a.com', '2@a.com', '3@a.com', '4@a.com', '5@a.com', '6@a.com')
const record = fc.nat(12)

/** Most values neither conflict nor change other records. */
const plain = {
  note: fc.constantFrom('x', 'y', 'with "quotes" and \\', 'NULL', 'a\u001eb', null),
  size: fc.constantFrom(0, -1.5, 1e21, null),
  price: fc.constantFrom(1, 0.1234, null),
  seen: fc.constantFrom('2024-01-01T12:00:00.123456789Z', null),
  kind: fc.constantFrom('k', 'l', 'm', null),
}
const unique = { code: fc.oneof(code, fc.constant(null)), mails: fc.uniqueArray(mail, { maxLength: 2 }) }
const references = {
  next: fc.oneof(fc.array(record, { maxLength: 1 }), code),
  berth: fc.array(record, { maxLength: 1 }),
  calls: fc.array(record, { maxLength: 2 }),
}
const others = {
  home: fc.array(record, { maxLength: 1 }),
  leader: fc.array(record, { maxLength: 1 }),
  convoy: fc.array(record, { maxLength: 3 }),
  twin: fc.array(record, { maxLength: 1 }),
}
const invalid = { size: fc.constant('five'), absent: fc.constant('x') }

const values = fc.oneof(
  { weight: 6, arbitrary: fc.record(plain, { requiredKeys: [] }) },
  { weight: 3, arbitrary: fc.record({ ...plain, ...unique }, { requiredKeys: [] }) },
  { weight: 3, arbitrary: fc.record({ ...plain, ...references }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.record({ ...unique, ...references, ...others }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.record(invalid, { requiredKeys: [] }) },
)

const upsert = fc
  .tuple(values, code, fc.uniqueArray(mail, { minLength: 1, maxLength: 2 }))
  .map(([some, code, mails]) => ({
    code: { matching: 'code', values: { ...some, code } },
    mails: { matching: 'mails', values: { note: 'upserted', mails } },
    note: { matching: 'note', values: some },
  }))

const operation: fc.Arbitrary<RandomOperation> = fc
  .record({
    op: fc.oneof(
      { weight: 4, arbitrary: fc.constant('create' as const) },
      { weight: 10, arbitrary: fc.constant('update' as const) },
      { weight: 6, arbitrary: fc.constant('upsert' as const) },
      { weight: 1, arbitrary: fc.constant('delete' as const) },
    ),
    record,
    mode: fc.constantFrom('append' as const, 'overwrite' as const),
    matching: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('code' as const, 'mails' as const) },
      { weight: 1, arbitrary: fc.constant('note' as const) },
    ),
    values,
    upsert,
    valuesOnCreate: fc.oneof(fc.constant({}), values),
  })
  .map(({ upsert, ...rest }) => (rest.op === 'upsert' ? { ...rest, values: upsert[rest.matching].values } : rest))

const deletion = operation.map((each) => ({ ...each, op: 'delete' as const }))

/** Runs of one kind of operation, as programs send them, and mixed ones. */
export const batches: fc.Arbitrary<readonly RandomOperation[]> = fc.oneof(
  fc.array(operation, { minLength: 1, maxLength: 12 }),
  fc
    .tuple(fc.constantFrom('create' as const, 'update' as const), fc.array(operation, { minLength: 2, maxLength: 12 }))
    .map(([op, operations]) => operations.map((each) => ({ ...each, op }))),
  fc
    .tuple(fc.constantFrom('code' as const, 'mails' as const), fc.array(operation, { minLength: 4, maxLength: 30 }))
    .map(([matching, operations]) =>
      operations.filter(({ op, ...each }) => op === 'upsert' && each.matching === matching),
    )
    .filter((operations) => operations.length > 0),
  { weight: 1, arbitrary: fc.array(deletion, { minLength: 2, maxLength: 5 }) },
)
