/** Each member of each body: something else in its place, or nothing. Spec: errors-and-limits 1. */

import { expect, test } from 'bun:test'
import { forThisFile } from '../support/service/service-per-file'
import { startAttacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { VALUES } from './hostile'
import { jsonWith, placesIn, requestFor, someOf } from './requests'

const attacked = forThisFile(startAttacked)

/** So many values in each place; in a long run all of them. */
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

test('no answer but those of the catalogue, whatever a member is', async () => {
  expect(await attacked().faultsOf(hostileRequests())).toEqual([])
}, 3_600_000)
