/** Random records and entries of all attribute types, made and read through the API. */

import fc from 'fast-check'
import { thing } from '#engine/query/testing/random-things'
import {
  type Ask,
  createThingAttribute,
  createListOfThings,
  createThing,
  createThings,
  succeed,
} from '#engine/query/testing/things'

/** A value in the form of the API. Its members depend on its type. */
export type ValueJson = Readonly<Record<string, unknown>> & { readonly attribute_type: string }

export interface EntityJson {
  readonly values: Readonly<Record<string, readonly ValueJson[]>>
  /** The parent of an entry. */
  readonly parent?: { readonly object: string; readonly recordId: string }
}

export interface AttributeJson {
  readonly api_slug: string
  readonly type: string
  readonly is_multiselect: boolean
}

export interface EntityTypeJson {
  readonly schema: 'objects' | 'lists'
  readonly slug: string
  readonly attributes: readonly AttributeJson[]
  readonly entities: readonly EntityJson[]
}

export interface World {
  readonly entityTypes: readonly EntityTypeJson[]
  /** The id of each object by its slug. */
  readonly objectIds: ReadonlyMap<string, string>
}

const THINGS = 30
const ENTRIES = 15
const LIST = 'pipeline'

/** `members` are addresses of members, to which actor references refer. */
export async function makeWorld(ask: Ask, member: string): Promise<World> {
  await createThings(ask)
  // The other side is derived.
  const relationship = { object: 'people', title: 'Things', api_slug: 'things', is_multiselect: true }
  await createThingAttribute(ask, 'things', { api_slug: 'keeper', type: 'record-reference', relationship })
  await createListOfThings(ask, LIST)
  const companies = await Promise.all([0, 1, 2, 3].map((n) => createCompany(ask, n)))
  const people = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((n) => createPerson(ask, n, companies[n % 5])))
  const things: string[] = []
  for (const [n, values] of fc.sample(thing, { numRuns: THINGS, seed: 11 }).entries()) {
    const references = referencesOf(n, { things, people, companies })
    const actors = n % 5 === 0 ? { actor: member, actors: [member] } : {}
    things.push(await createThing(ask, 'things', { ...values, ...references, ...actors }))
  }
  const entries = fc.sample(thing, { numRuns: ENTRIES, seed: 12 }).map((entry_values, n) => ({
    parent_object: 'things',
    parent_record_id: things[(n * 3) % THINGS],
    entry_values,
  }))
  await Promise.all(entries.map((data) => succeed(ask('POST', `/v2/lists/${LIST}/entries`, { data }))))
  return readWorld(ask)
}

const createCompany = (ask: Ask, n: number) =>
  createThing(ask, 'companies', {
    name: ['Acme', 'acme', 'Öl & Söhne', ''][n] ?? '',
    domains: [`c${n}.com`, `d${n}.org`],
  })

const createPerson = (ask: Ask, n: number, company: string | undefined) =>
  createThing(ask, 'people', {
    name: ['Lovelace, Ada', 'Ñandú, Élan', 'Single', 'O\'Hara, "Q"'][n % 4],
    email_addresses: n % 3 === 0 ? [] : [`p${n}@c.com`, `p${n}@d.org`],
    ...(company === undefined ? {} : { company: { target_object: 'companies', target_record_id: company } }),
  })

interface Targets {
  readonly things: readonly string[]
  readonly people: readonly string[]
  readonly companies: readonly string[]
}

function referencesOf(n: number, { things, people, companies }: Targets): Record<string, unknown> {
  const reference = (target_object: string, from: readonly string[]) => ({
    target_object,
    target_record_id: from[n % from.length],
  })
  return {
    ...(n % 3 === 1 ? { parent: things[n >> 1] } : {}),
    ...(n % 4 === 0 ? {} : { keeper: reference('people', people) }),
    ...(n % 2 === 0 ? {} : { others: [reference('companies', companies), reference('people', people)] }),
    ...(n % 3 === 0 ? {} : { code: `C-${n}` }),
  }
}

async function readWorld(ask: Ask): Promise<World> {
  const { data: objects } = await succeed(ask('GET', '/v2/objects'))
  const objectIds = new Map<string, string>(
    objects.map((object: { api_slug: string; id: { object_id: string } }) => [object.api_slug, object.id.object_id]),
  )
  const slugs = ['things', 'people', 'companies']
  const records = await Promise.all(slugs.map((slug) => readEntityType(ask, 'objects', slug)))
  return { objectIds, entityTypes: [...records, await readEntityType(ask, 'lists', LIST)] }
}

async function readEntityType(ask: Ask, schema: 'objects' | 'lists', slug: string): Promise<EntityTypeJson> {
  const path = schema === 'objects' ? `/v2/objects/${slug}/records/query` : `/v2/lists/${slug}/entries/query`
  const { data } = await succeed(ask('POST', path, {}))
  const attributes = await succeed(ask('GET', `/v2/${schema}/${slug}/attributes`))
  return { schema, slug, attributes: attributes.data, entities: data.map(entityOf) }
}

interface AnswerEntity {
  readonly values?: EntityJson['values']
  readonly entry_values?: EntityJson['values']
  readonly parent_object?: string
  readonly parent_record_id?: string
}

const entityOf = ({ values, entry_values, parent_object, parent_record_id }: AnswerEntity): EntityJson => ({
  values: values ?? entry_values ?? {},
  ...(parent_object !== undefined && parent_record_id !== undefined
    ? { parent: { object: parent_object, recordId: parent_record_id } }
    : {}),
})
