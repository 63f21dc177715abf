/** Nearly valid values wherever values are written. See docs/reference/values.md. */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { forThisFile } from '../support/service/service-per-file'
import { nearlyValues } from '../support/fixtures/random-values'
import { startAttacked } from './attacked'
import { numRuns, requestFor, seed } from './requests'

const attacked = forThisFile(startAttacked)
const TIME = 3_600_000

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

test(
  'only responses of the catalogue',
  async () => {
    const samples = fc.sample(nearlyValues, { numRuns: numRuns(160), seed })
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
  },
  TIME,
)
