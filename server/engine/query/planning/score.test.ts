import { beforeAll, describe, expect, test } from 'bun:test'
import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { useTestService } from '#testing/use-service'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import { costOf, scoreOf } from './estimate-cost'

const service = useTestService()
let model: DataModel
beforeAll(async () => {
  model = await service.appContext.models.get(service.workspaceId)
})

const CEO = { job_title: 'CEO' }
const INDUSTRY = [
  ['people', 'company'],
  ['companies', 'name'],
]
const OF_COMPANY = { path: INDUSTRY, constraints: 'Acme' }

const CASES: [object, number][] = [
  [{}, 1],
  [{ filter: {} }, 1],
  [{ filter: CEO }, 3],
  [{ filter: { $not: CEO } }, 3],
  [{ filter: { $and: [CEO, { $or: [CEO, CEO] }] } }, 7],
  [{ filter: { name: { first_name: 'Ada', last_name: 'Lovelace' } } }, 3],
  [{ filter: OF_COMPANY }, 8],
  [{ filter: { job_title: { $contains: 'CEO' } } }, 13],
  [{ filter: { job_title: { $starts_with: 'C', $ends_with: 'O' } } }, 23],
  [{ sorts: [{ attribute: 'name', direction: 'asc' }] }, 4],
  [{ sorts: [{ path: INDUSTRY, direction: 'asc' }] }, 9],
  [{ filter: OF_COMPANY, sorts: [{ attribute: 'name', direction: 'asc' }], limit: 1, offset: 1000 }, 11],
]

describe('the score of a query', () => {
  const scoreWith = (body: object, entities: number, known = model) =>
    scoreOf(costOf(known, resolveQuery(known, getObject(known, 'people'), body, UNUSED_RELATIVE_CONTEXT)), entities)

  test.each(CASES)('%j costs %d, and more over many records', (body, score) => {
    expect(scoreWith(body, 0)).toBe(score)
    expect(scoreWith(body, 90_000)).toBe(2 * score)
    expect(scoreWith(body, 1_000_000)).toBe(Math.round(score * (1 + Math.log10(101))))
  })

  test('is lower for parts of text that an index serves', () => {
    const { attributes, number } = getObject(model, 'people')
    const title = attributes.find(({ api_slug }) => api_slug === 'job_title')
    const indexes = new Set([`o_${number}_a_${title?.number}_value_trigram`])
    expect(scoreWith({ filter: { job_title: { $contains: 'CEO' } } }, 0, { ...model, indexes })).toBe(3)
    // Too short for a trigram index.
    expect(scoreWith({ filter: { job_title: { $contains: 'CE' } } }, 0, { ...model, indexes })).toBe(13)
  })

  test('is in a header of the response', async () => {
    const { headers } = await service.request('POST', '/v2/objects/people/records/query', { filter: CEO })
    expect(headers.get('x-relata-record-query-score')).toBe('3')
  })
})
