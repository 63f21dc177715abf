/**
 * Replaces or leaves out each member of each body, and sends nearly valid values wherever values are written.
 * See docs/reference/errors-and-limits.md (Malformed requests, Validation errors) and docs/reference/values.md (Writing values).
 */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nearlyValues } from '../support/fixtures/random-values'
import { forThisFile } from '../support/service/service-per-file'
import { startAttacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { VALUES } from './hostile'
import { jsonWith, numRuns, placesIn, requestFor, seed, someOf } from './requests'

const attacked = forThisFile(startAttacked)

/** The number of values for each member; a long run uses all. */
const VALUES_EACH = 2

function* hostileRequests(): Generator<HostileRequest> {
  for (const operation of attacked().operations.filter(({ body }) => body !== undefined)) {
    const { body, method, template, isServed } = operation
    for (const place of isServed ? placesIn(body) : [[]]) {
      const about = `${method} ${template} ${place.join('.')}`
      for (const value of [undefined, ...someOf(VALUES, VALUES_EACH, about)])
        yield requestFor(attacked(), operation, `${place.join('.')} is ${value ?? 'left out'}`, {
          body: jsonWith(body, place, value),
        })
    }
  }
}

test('only responses of the catalogue, for any value of any member', async () => {
  expect(await attacked().faultsOf(hostileRequests())).toEqual([])
}, 3_600_000)

const WRITES = [
  'POST /v2/objects/{object}/records',
  'PUT /v2/objects/{object}/records',
  'PATCH /v2/objects/{object}/records/{record_id}',
  'PUT /v2/objects/{object}/records/{record_id}',
  'PUT /v2/objects/{object}/records/{record_id}/attributes/{attribute}/values',
]
const ENTRY_WRITES = [
  'POST /v2/lists/{list}/entries',
  'PUT /v2/lists/{list}/entries',
  'PATCH /v2/lists/{list}/entries/{entry_id}',
  'PUT /v2/lists/{list}/entries/{entry_id}',
]

test('only responses of the catalogue, for nearly valid values of records and entries', async () => {
  const samples = fc.sample(nearlyValues, { numRuns: numRuns(100), seed })
  const requests = samples.flatMap((values) =>
    attacked().operations.flatMap((operation) => {
      const name = `${operation.method} ${operation.template}`
      const parent = { parent_object: 'people', parent_record_id: attacked().ids.person }
      const data = WRITES.includes(name)
        ? { values, replace_history: true }
        : ENTRY_WRITES.includes(name)
          ? { ...parent, entry_values: values }
          : undefined
      if (data === undefined) return []
      const body = JSON.stringify({ data })
      return [requestFor(attacked(), operation, body.slice(0, 300), { body })]
    }),
  )
  expect(await attacked().faultsOf(requests)).toEqual([])
}, 3_600_000)
