/** Invalid queries, sorts, searches and views: deep, wide, and with operators that an attribute does not have. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { forThisFile } from '../support/service/service-per-file'
import { EVERY_ATTRIBUTE } from '../support/fixtures/model'
import { startAttacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { DEEP, LARGE, VALUES } from './hostile'
import { numRuns, requestFor, seed, someOf } from './requests'

const attacked = forThisFile(startAttacked)
const TIME = 3_600_000

const OPERATORS = [
  '$eq',
  '$in',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$contains',
  '$starts_with',
  '$relative',
  '$ends_with',
  '$not_empty',
  '$x',
]

const TARGETS = [
  'POST /v2/objects/{object}/records/query',
  'POST /v2/lists/{list}/entries/query',
  'POST /v2/objects/{object}/views',
]

/** Returns a request with this body for each operation that reads filters. `text` is JSON. */
function asked(about: string, text: string): HostileRequest[] {
  return attacked()
    .operations.filter(({ method, template }) => TARGETS.includes(`${method} ${template}`))
    .map((operation) => {
      const body = operation.template.endsWith('views') ? `{"data":{"title":"x","type":"table",${text}}}` : `{${text}}`
      return requestFor(attacked(), operation, about, { body })
    })
}

const filter = (text: string) => `"filter":${text}`
const repeated = (count: number, item: (n: number) => string) => Array.from({ length: count }, (_, n) => item(n)).join()
const nested = (depth: number, open: string, close: string, inside: string) =>
  open.repeat(depth) + inside + close.repeat(depth)

describe('only responses of the catalogue', () => {
  test(
    'for an operand of each kind with each operator of each attribute',
    async () => {
      function* requests(): Generator<HostileRequest> {
        const slugs = [
          ...EVERY_ATTRIBUTE.map(({ api_slug }) => api_slug),
          'record_id',
          'created_at',
          'created_by',
          'nothing',
        ]
        for (const slug of slugs) {
          for (const operator of someOf(OPERATORS, 4, slug)) {
            for (const value of someOf(VALUES, 4, `${slug} ${operator}`)) {
              const about = `${slug} ${operator} ${value}`
              yield* asked(about, filter(`{"${slug}":{"${operator}":${value}}}`))
              yield* asked(about, filter(`{"${slug}":{"value":{"${operator}":${value}},"x":${value}}}`))
            }
          }
        }
      }
      expect(await attacked().faultsOf(requests())).toEqual([])
    },
    TIME,
  )

  test(
    'for filters that are deep or wide',
    async () => {
      const condition = '{"text":{"$eq":"a"}}'
      const filters: Readonly<Record<string, string>> = {
        'depth 10': nested(9, '{"$and":[', ']}', condition),
        'depth 11': nested(10, '{"$and":[', ']}', condition),
        'depth 199 of $not': nested(190, '{"$not":', '}', condition),
        '250 conditions': `{"$or":[${repeated(250, () => condition)}]}`,
        '251 conditions': `{"$or":[${repeated(251, () => condition)}]}`,
        '20,000 conditions': `{"$or":[${repeated(20_000, () => condition)}]}`,
        '20,000 attributes': `{${repeated(20_000, (n) => `"a${n}":1`)}}`,
        '20,000 alternatives': `{"text":{"$in":[${repeated(20_000, (n) => `"${n}"`)}]}}`,
        '20,000 operators': `{"text":{${repeated(20_000, (n) => `"$o${n}":1`)}}}`,
        'a path of 20,000 steps': `{"path":[${repeated(20_000, () => '["people","name"]')}],"constraints":{"value":"a"}}`,
        'an invalid path': '{"path":[["people"],[1],[],null,"x"],"constraints":[[]]}',
        '250 paths': `{"$or":[${repeated(250, () => '{"path":[["people","company"],["companies","name"]],"constraints":{"value":"a"}}')}]}`,
        ...Object.fromEntries(
          [...Object.entries(DEEP), ...Object.entries(LARGE)].map(([name, text]) => [name, text()]),
        ),
      }
      const requests = Object.entries(filters).flatMap(([name, text]) => asked(name, filter(text)))
      expect(await attacked().faultsOf(requests)).toEqual([])
    },
    TIME,
  )

  test(
    'for random filters with valid keywords',
    async () => {
      const word = fc.constantFrom(
        '$and',
        '$or',
        '$not',
        'path',
        'constraints',
        'text',
        'number',
        'value',
        ...OPERATORS,
      )
      const { tree } = fc.letrec((tie) => ({
        tree: fc.oneof(
          { maxDepth: 4 },
          fc.constantFrom<unknown>('a', 1, null, true, 'people', [], {}),
          fc.dictionary(word, tie('tree'), { maxKeys: 3 }),
          fc.array(tie('tree'), { maxLength: 3 }),
        ),
      }))
      const requests = fc
        .sample(fc.dictionary(word, tree, { maxKeys: 3 }), { numRuns: numRuns(250), seed })
        .flatMap((each) => asked(JSON.stringify(each), filter(JSON.stringify(each))))
      expect(await attacked().faultsOf(requests)).toEqual([])
    },
    TIME,
  )

  test(
    'for sorts, pages and fields',
    async () => {
      const members = [
        'sorts',
        'limit',
        'offset',
        'cursor',
        'fields',
        'include_count',
        'filter_view_id',
        'visible_attributes',
      ]
      const one = '{"attribute":"text","direction":"asc"}'
      const sorts = [
        `[${repeated(20_000, () => one)}]`,
        `[${repeated(50, (n) => `{"attribute":"a${n}","direction":"asc"}`)}]`,
        `[{"path":[${repeated(20_000, () => '["people","name"]')}],"direction":"asc"}]`,
        `[{"attribute":"${'x'.repeat(100_000)}","field":"${'y'.repeat(100_000)}","direction":"desc"}]`,
      ]
      const requests = [
        ...sorts.flatMap((text) => asked(`sorts ${text.slice(0, 50)}`, `"sorts":${text}`)),
        ...members.flatMap((name) => VALUES.flatMap((value) => asked(`${name} ${value}`, `"${name}":${value}`))),
        ...['name', 'slug'].flatMap(() => asked('20,000 fields', `"fields":[${repeated(20_000, (n) => `"f${n}"`)}]`)),
      ]
      expect(await attacked().faultsOf(someOf(requests, 400, 'sorts'))).toEqual([])
    },
    TIME,
  )

  test(
    'for search queries',
    async () => {
      const search = attacked().operations.find(({ template }) => template === '/v2/objects/records/search')
      if (search === undefined) throw new Error('There is no search.')
      const texts = [
        '',
        ' ',
        '%',
        '\\',
        "'",
        '& | ! ( ) :*',
        'a'.repeat(256),
        'ab '.repeat(85),
        '🎉'.repeat(64),
        '+1 (415) 555',
        '\u202e',
      ]
      const queries = [...texts.map((text) => JSON.stringify(text)), ...VALUES]
      const requests = queries.flatMap((query) =>
        ['["people"]', '[]', '["people","companies","people"]', `[${repeated(20_000, () => '"people"')}]`].map(
          (objects) =>
            requestFor(attacked(), search, `${query} in ${objects.slice(0, 40)}`, {
              body: `{"query":${query},"objects":${objects},"request_as":{"type":"workspace"}}`,
            }),
        ),
      )
      expect(await attacked().faultsOf(someOf(requests, 150, 'search'))).toEqual([])
    },
    TIME,
  )
})
