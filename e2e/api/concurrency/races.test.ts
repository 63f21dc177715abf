/** Concurrent writes of one value. See docs/reference/values.md (Several values, Unique values). */

import { describe, expect, test } from 'bun:test'
import { checkConsistency } from '../../support/consistency/check-consistency'
import { openReader } from '../../support/service/database'
import { forThisFile } from '../../support/service/service-per-file'
import { makeAttribute, makeObject } from '../../support/fixtures/model'
import { makeRelatedObjects } from '../../support/fixtures/random-writes'
import { startService } from '../../support/service/service'
import { createRecord, expectRefusal, recordIdOf } from '../../support/fixtures/value-cases'

const service = forThisFile(async () => {
  const started = await startService()
  await makeRelatedObjects(started.request)
  return started
})

const ROUNDS = 10
const CLIENTS = 4

const rounds = Array.from({ length: ROUNDS }, (_, round) => round)

/** Sends the same request from all clients at the same time. */
const together = <T>(ask: (client: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: CLIENTS }, (_, client) => ask(client)))

const alpha = (id: string) => `/v2/objects/alpha/records/${id}`

const expectConsistent = async () => {
  const reader = openReader(service().databaseUrl)
  try {
    expect(await checkConsistency(reader)).toEqual([])
  } finally {
    await reader.end()
  }
}

describe('concurrent requests', () => {
  const FORMS = [
    ['code', (round: number) => `create ${round}`],
    ['emails', (round: number) => [`create${round}@relata.dev`]],
  ] as const
  test.each(FORMS)(
    '200 for one create with a value of %s, 400 naming the record for the others',
    async (slug, value) => {
      for (const round of rounds) {
        const answers = await together(() => createRecord(service().request, 'alpha', { [slug]: value(round) }))
        const [winner, ...others] = answers.filter(({ status }) => status === 200)
        expect(others).toEqual([])
        for (const loser of answers.filter((answer) => answer !== winner)) {
          expectRefusal(loser, 400, 'uniqueness_conflict')
          expect(loser.body.conflicting_record_ids).toEqual([winner && recordIdOf(winner)])
        }
      }
      await expectConsistent()
    },
  )

  test('200 for all asserts with one value, on one record', async () => {
    for (const round of rounds) {
      const answers = await together((client) =>
        service().request('PUT', '/v2/objects/alpha/records?matching_attribute=code', {
          data: {
            values: { code: `assert ${round}`, name: `client ${client}`, emails: [`assert${round}@relata.dev`] },
          },
        }),
      )
      expect(new Set(answers.map(recordIdOf)).size).toBe(1)
    }
    await expectConsistent()
  })

  test('200 for one of several updates with one unique value', async () => {
    for (const round of rounds) {
      const ids = await together(async () => recordIdOf(await createRecord(service().request, 'alpha', {})))
      const answers = await Promise.all(
        ids.map((id) => service().request('PATCH', alpha(id), { data: { values: { code: `update ${round}` } } })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
    }
    await expectConsistent()
  })

  test('200 for additions to one multiselect, and none is lost', async () => {
    const id = recordIdOf(await createRecord(service().request, 'alpha', {}))
    for (const round of rounds) {
      const answers = await together((client) =>
        service().request('PATCH', alpha(id), { data: { values: { emails: [`add${round}-${client}@relata.dev`] } } }),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    }
    const { values } = (await service().request('GET', alpha(id))).body.data
    expect(values.emails).toHaveLength(ROUNDS * CLIENTS)
    await expectConsistent()
  })

  test('one record keeps the one-to-one partner that several records name', async () => {
    const target = recordIdOf(await createRecord(service().request, 'beta', {}))
    const badge = { target_object: 'beta', target_record_id: target }
    const ids = await together(async () => recordIdOf(await createRecord(service().request, 'alpha', {})))
    for (const round of rounds.slice(0, 3)) {
      await Promise.all(
        ids.map((id) => service().request('PUT', alpha(id), { data: { values: { badge, name: `round ${round}` } } })),
      )
    }
    const held = await Promise.all(
      ids.map(async (id) => (await service().request('GET', alpha(id))).body.data.values.badge),
    )
    expect(held.filter((values) => values.length > 0)).toHaveLength(1)
    await expectConsistent()
  })

  test('no reference is left to a target that is deleted while others refer to it', async () => {
    for (const _ of rounds) {
      const target = recordIdOf(await createRecord(service().request, 'beta', {}))
      const group = { target_object: 'beta', target_record_id: target }
      const [, ...created] = await Promise.all([
        service().request('DELETE', `/v2/objects/beta/records/${target}`),
        ...[1, 2, 3].map(() => createRecord(service().request, 'alpha', { group, friends: [group] })),
      ])
      for (const answer of created) if (answer.status !== 200) expectRefusal(answer, 400, 'value_not_found')
    }
    await expectConsistent()
  })

  test('200 for one of several objects and attributes with one slug', async () => {
    const { request } = service()
    const made = await Promise.allSettled([1, 2, 3].map(() => makeObject(request, 'gamma')))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const text = { api_slug: 'text', type: 'text' }
    const added = await Promise.allSettled([1, 2, 3].map(() => makeAttribute(request, 'gamma', text)))
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const failed of [...made, ...added]) {
      if (failed.status === 'rejected') expect(String(failed.reason)).toContain('409')
    }
  })

  test('unique keys and values agree after an attribute became unique while equal values were written', async () => {
    const { request } = service()
    await makeObject(request, 'delta', [{ api_slug: 'text', type: 'text' }])
    await Promise.all([
      ...Array.from({ length: 20 }, (_, number) => createRecord(request, 'delta', { text: `t${number}` })),
      request('PATCH', '/v2/objects/delta/attributes/text', { data: { is_unique: true } }),
    ])
    await expectConsistent()
  })
})
