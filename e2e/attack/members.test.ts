/** Replaces or leaves out each member of each body. See docs/reference/errors-and-limits.md (Malformed requests, Validation errors). */

import { expect, test } from 'bun:test'
import { forThisFile } from '../support/service/service-per-file'
import { startAttacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { VALUES } from './hostile'
import { jsonWith, placesIn, requestFor, someOf } from './requests'

const attacked = forThisFile(startAttacked)

/** The number of values for each member; a long run uses all. */
const VALUES_EACH = 5

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
