/** Random writes to few records, so that many clients meet: what is sent and which answers are allowed. */

import fc from 'fast-check'
import { makeObject } from './model'
import type { Request } from './client'

/** Creates two objects with unique attributes and every kind of relationship, with each other and with themselves. */
export async function makeRelatedObjects(request: Request): Promise<void> {
  const unique = [
    { api_slug: 'code', type: 'text', is_unique: true },
    { api_slug: 'emails', type: 'email-address', is_unique: true, is_multiselect: true },
    { api_slug: 'name', type: 'text' },
  ]
  const related = (api_slug: string, isMany: boolean, object: string, reverse: string, isReverseMany: boolean) => ({
    api_slug,
    type: 'record-reference',
    is_multiselect: isMany,
    relationship: { object, title: reverse, api_slug: reverse, is_multiselect: isReverseMany },
  })
  await makeObject(request, 'beta', unique)
  await makeObject(request, 'alpha', [
    ...unique,
    related('badge', false, 'beta', 'bearer', false),
    related('group', false, 'beta', 'members', true),
    related('parts', true, 'beta', 'whole', false),
    related('friends', true, 'beta', 'fans', true),
    related('spouse', false, 'alpha', 'spouse_of', false),
    related('manager', false, 'alpha', 'reports', true),
    related('peers', true, 'alpha', 'peer_of', true),
  ])
}

/** Attributes by object, each with the object it refers to. */
const REFERENCES: Readonly<Record<ObjectName, readonly (readonly [slug: string, isMany: boolean, to: ObjectName])[]>> =
  {
    alpha: [
      ['badge', false, 'beta'],
      ['group', false, 'beta'],
      ['parts', true, 'beta'],
      ['friends', true, 'beta'],
      ['spouse', false, 'alpha'],
      ['spouse_of', false, 'alpha'],
      ['manager', false, 'alpha'],
      ['reports', true, 'alpha'],
      ['peers', true, 'alpha'],
      ['peer_of', true, 'alpha'],
    ],
    beta: [
      ['bearer', false, 'alpha'],
      ['members', true, 'alpha'],
      ['whole', false, 'alpha'],
      ['fans', true, 'alpha'],
    ],
  }

export type ObjectName = 'alpha' | 'beta'

export const OBJECTS = ['alpha', 'beta'] as const

/** Numbers name records: the n-th of those there are when the write is sent. */
export type Write =
  | { readonly verb: 'create' | 'assert'; readonly object: ObjectName; readonly values: Values }
  | { readonly verb: 'PATCH' | 'PUT'; readonly object: ObjectName; readonly record: number; readonly values: Values }
  | { readonly verb: 'delete'; readonly object: ObjectName; readonly record: number }
  | { readonly verb: 'merge'; readonly object: ObjectName; readonly record: number; readonly other: number }

/** References are arrays of such numbers. */
type Values = Readonly<Record<string, unknown>>

const record = fc.nat(50)
const code = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
const emails = fc.uniqueArray(fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8), { minLength: 1, maxLength: 3 })

function valuesFor(object: ObjectName): fc.Arbitrary<Values> {
  const unique = {
    code,
    emails: emails.map((numbers) => numbers.map((each) => `m${each}@relata.dev`)),
  }
  const references = REFERENCES[object].map(
    ([slug, isMany]) => [slug, fc.array(record, { maxLength: isMany ? 4 : 1 })] as const,
  )
  const others = { name: fc.constantFrom('x', 'y', 'z'), ...Object.fromEntries(references) }
  // Most writes with unique values meet somebody who has them, so most writes have none.
  return fc.oneof(
    { weight: 4, arbitrary: fc.record(others, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.record({ ...unique, ...others }, { requiredKeys: [] }) },
  )
}

export const writes: fc.Arbitrary<Write> = fc.constantFrom(...OBJECTS).chain((object): fc.Arbitrary<Write> => {
  const values = valuesFor(object)
  const fixed = fc.constant(object)
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ verb: fc.constant('create' as const), object: fixed, values }) },
    {
      weight: 3,
      arbitrary: fc.record({
        verb: fc.constant('assert' as const),
        object: fixed,
        values: fc.tuple(values, code).map(([others, value]) => ({ ...others, code: value })),
      }),
    },
    {
      weight: 10,
      arbitrary: fc.record({ verb: fc.constantFrom('PATCH' as const, 'PUT' as const), object: fixed, record, values }),
    },
    { weight: 1, arbitrary: fc.record({ verb: fc.constant('delete' as const), object: fixed, record }) },
    { weight: 1, arbitrary: fc.record({ verb: fc.constant('merge' as const), object: fixed, record, other: record }) },
  )
})

/** The records that are there, as far as the clients were told. */
export type RecordIds = Readonly<Record<ObjectName, string[]>>

/** Sends one write and keeps `known` up to date; gives `status code` of the answer. */
export async function send(request: Request, known: RecordIds, write: Write): Promise<string> {
  const { object } = write
  const records = `/v2/objects/${object}/records`
  const pick = (name: ObjectName, number: number) => known[name][number % known[name].length] ?? NOWHERE
  const data = 'values' in write ? { data: { values: withIds(object, write.values, pick) } } : {}
  const id = 'record' in write ? pick(object, write.record) : NOWHERE
  if (write.verb === 'create') return learn(known[object], await request('POST', records, data))
  if (write.verb === 'assert')
    return learn(known[object], await request('PUT', `${records}?matching_attribute=code`, data))
  if (write.verb === 'PATCH' || write.verb === 'PUT')
    return outcome(await request(write.verb, `${records}/${id}`, data))
  if (!('other' in write)) return forget(known[object], await request('DELETE', `${records}/${id}`), [id])
  const ids = { primary_record_id: id, secondary_record_id: pick(object, write.other) }
  const answer = await request('POST', `${records}/merge`, { data: ids })
  if (answer.status === 200) known[object].push(answer.body.data.new_record_id)
  return forget(known[object], answer, Object.values(ids))
}

const NOWHERE = '01890a5d-ac96-774b-bcce-b302099a8057'

type Answer = Awaited<ReturnType<Request>>

const outcome = ({ status, body }: Answer): string => (status === 200 ? '200' : `${status} ${body.code}`)

function learn(ids: string[], answer: Answer): string {
  const id = answer.body.data?.id.record_id
  if (id !== undefined && !ids.includes(id)) ids.push(id)
  return outcome(answer)
}

function forget(ids: string[], answer: Answer, gone: readonly string[]): string {
  if (answer.status === 200) for (const id of gone) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1)
  return outcome(answer)
}

function withIds(object: ObjectName, values: Values, pick: (name: ObjectName, number: number) => string): Values {
  const references = REFERENCES[object].flatMap(([slug, , target_object]) => {
    const numbers = values[slug]
    if (!Array.isArray(numbers)) return []
    const targets = numbers.map((each) => ({ target_object, target_record_id: pick(target_object, Number(each)) }))
    return [[slug, targets] as const]
  })
  return { ...values, ...Object.fromEntries(references) }
}
