/** What is cached for the form of a query equals what is compiled for the query itself, for any values, models and access. */

import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { modelOfMember } from '#engine/data-model/access/member-model'
import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { useTestService } from '#testing/use-service'
import { compilePage } from '#engine/query/compile/page-statement'
import { findCompositeIndex } from '#engine/query/planning/composite-index'
import { estimateCost } from '#engine/query/planning/estimate-cost'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import { conditionOn, CONSTRAINTS, filterOf, pathOver, sortOf } from '#engine/query/testing/random-queries'
import { createThings } from '#engine/query/testing/things'
import type { QueryBody } from '#engine/query/parse/schemas'
import { formQuery, pageStatement } from './compiled-forms'

const service = useTestService()
let models: readonly DataModel[]

beforeAll(async () => {
  await createThings(service.request)
  const { models: cache } = service.appContext
  const model = await cache.reload(service.workspaceId)
  models = [model, await cache.reload(service.workspaceId), withComposites(model), withoutCompanies(model)]
})

/** The same model, with all indexes over several columns that queries by status or name can have. */
function withComposites(model: DataModel): DataModel {
  const things = getObject(model, 'things')
  const names = [{ state: 'Todo' }, { name: 'a' }, { name: 'a', state: 'Todo' }].flatMap((filter) =>
    (['asc', 'desc'] as const).flatMap((direction) => {
      const query = resolveQuery(
        model,
        things,
        { filter, sorts: [{ attribute: 'created_at', direction }] },
        UNUSED_RELATIVE_CONTEXT,
      )
      return findCompositeIndex(model, things, query)?.index.name ?? []
    }),
  )
  return { ...model, indexes: new Set([...model.indexes, ...names]) }
}

/** The model of a member from whom companies are hidden. */
function withoutCompanies(model: DataModel): DataModel {
  const companies = { ...getObject(model, 'companies'), grants: { members: 'hidden', teams: [] } } as const
  return modelOfMember({ ...model, objectsWithGrants: [companies] }, 'a member who is no admin')
}

const OTHERS = fc.constant({ others: { $not_empty: true } })

const upwards = fc
  .integer({ min: 0, max: 2 })
  .map((steps) => Array.from({ length: steps }, () => ['things', 'parent'] as const))
const filter = filterOf(fc.oneof(conditionOn(CONSTRAINTS), OTHERS), pathOver(upwards))
const newest = fc.constant([{ attribute: 'created_at', direction: 'desc' as const }])
const sorts = fc.oneof(newest, fc.array(sortOf('record_id', upwards), { maxLength: 2 }))
const body = fc.record({ filter, sorts, limit: fc.constantFrom(1, 50), offset: fc.constantFrom(0, 10) })

/** Compiles a page through the cache, and without it. */
function compileBoth(model: DataModel, { cursor, ...sent }: QueryBody, select: string) {
  const things = getObject(model, 'things')
  const query = resolveQuery(model, things, sent, UNUSED_RELATIVE_CONTEXT)
  const formed = formQuery(model, things, query)
  const page = cursor === undefined ? {} : { after: null }
  const cached = pageStatement(model, things, { ...formed, ...page }, select)
  const plain = compilePage(model, things, { ...query, ...page }, select)
  return {
    cached: { ...cached, keysOf: undefined, ...costs(formed.cost) },
    plain: { ...plain, keysOf: undefined, ...costs(estimateCost(model, things, query)) },
    isCached: formed.form !== undefined,
  }
}

/** The parts of an estimate that a query without operands has as well. */
const costs = ({ cost, isLookup, large, small }: ReturnType<typeof estimateCost>) => ({
  cost,
  isLookup,
  indexes: [large(), small()].map(({ single, composite }) => [
    ...single.map(({ index }) => index),
    composite?.index,
    composite?.partial,
  ]),
})

describe('a query of a cached form', () => {
  test('has the statement, the parameters and the cost of the query itself', () => {
    let cached = 0
    const property = fc.property(body, fc.nat(3), fc.constantFrom('h.*', 'h.id'), (body, index, select) => {
      const model = models[index]
      if (!model) throw new Error('There are four models.')
      const both = compileBoth(model, body as QueryBody, select)
      expect(both.cached).toEqual(both.plain)
      cached += Number(both.isCached)
    })
    fc.assert(property, { numRuns: 3000, seed: 3 })
    expect(cached).toBeGreaterThan(300)
  })

  test('has its own values', () => {
    const [model] = models
    const of = (name: string, amount: number) =>
      model && compileBoth(model, { filter: { name, amount: { $gt: amount } } }, 'h.*').cached
    const [first, second] = [of('One', 1), of('Two', 2.5)]
    expect([first?.text, first?.parameters]).toEqual([second?.text, ['One', '1']])
    expect(second?.parameters).toEqual(['Two', '2.5'])
  })

  test.each([
    ['another operator', { amount: { $gt: 1 } }, { amount: { $lt: 1 } }],
    ['another option', { state: 'Todo' }, { state: 'Doing' }],
    ['another checkbox', { done: true }, { done: false }],
    ['another nesting', { $not: { name: 'a' } }, { $and: [{ name: 'a' }] }],
    ['other options', { color: { $in: ['Red', 'Blue'] } }, { color: { $in: ['Red', 'Green'] } }],
    ['another unique value', { code: 'one'.repeat(1000) }, { code: 'two' }],
    ['another part of a text', { name: { $contains: 'one' } }, { name: { $contains: 'two' } }],
    ['presence', { amount: 1 }, { amount: { $not_empty: true } }],
  ])('shares nothing with a query of %s', (_, one, other) => {
    const [model] = models
    if (!model) throw new Error('There are models.')
    const [first, second] = [one, other].map((filter) => compileBoth(model, { filter }, 'h.*'))
    expect(first?.cached).toEqual(first?.plain)
    expect(second?.cached).toEqual(second?.plain)
    expect([first?.cached.text, first?.cached.parameters]).not.toEqual([second?.cached.text, second?.cached.parameters])
  })

  test('shares nothing with the same query of a member with other access, and of another version of the model', () => {
    const filter = { name: 'a', amount: 1, others: { $not_empty: true } }
    const texts = models.map((model) => {
      const both = compileBoth(model, { filter }, 'h.*')
      expect(both.cached).toEqual(both.plain)
      return both.cached.text
    })
    const [loaded, reloaded, , restricted] = texts
    expect(reloaded).toBe(String(loaded))
    expect(restricted).not.toBe(String(loaded))
    expect(
      () => models[3] && resolveQuery(models[3], getObject(models[3], 'companies'), {}, UNUSED_RELATIVE_CONTEXT),
    ).toThrow()
  })

  test('shares nothing with another limit, offset, selection or first page of a cursor', () => {
    const [model] = models
    if (!model) throw new Error('There are models.')
    const pages: readonly [QueryBody, string][] = [
      [{ limit: 10 }, 'h.*'],
      [{ limit: 11 }, 'h.*'],
      [{ limit: 10, offset: 5 }, 'h.*'],
      [{ limit: 10 }, 'h.id'],
      [{ limit: 10, sorts: [{ attribute: 'name', direction: 'asc' }] }, 'h.*'],
      [{ limit: 10, sorts: [{ attribute: 'name', direction: 'desc' }] }, 'h.*'],
      [{ limit: 10, sorts: [{ attribute: 'name', direction: 'desc' }], cursor: null }, 'h.*'],
    ]
    const texts = pages.map(([page, select]) => {
      const both = compileBoth(model, { filter: { name: 'a' }, ...page }, select)
      expect(both.cached).toEqual(both.plain)
      return both.cached.text
    })
    expect(new Set(texts).size).toBe(pages.length)
  })
})
