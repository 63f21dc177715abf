/** Objects. See docs/reference/objects-and-attributes.md (Objects, Standard objects). */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { makeObject } from '../../support/fixtures/model'
import { startService } from '../../support/service/service'
import { createRecord, expectRefusal, pathsIn, recordIdOf } from '../../support/fixtures/value-cases'

const service = forThisFile(() => startService({ RELATA_OBJECT_QUOTA: '8' }))

const create = (data: unknown) => service().request('POST', '/v2/objects', { data })
const named = (api_slug: string) => ({ api_slug, singular_noun: `${api_slug} s`, plural_noun: `${api_slug} p` })

describe('POST /v2/objects', () => {
  const BAD_SLUGS = [
    '',
    'Upper',
    '1st',
    'with space',
    'ümlaut',
    '-dash',
    '_line',
    'x'.repeat(64),
    '01890a5d-ac96-774b-bcce-b302099a8057',
    'a.b',
    'a/b',
  ]
  test.each(BAD_SLUGS)('400 for the slug %j', async (slug) => {
    const answer = await create({ ...named('x'), api_slug: slug })
    expectRefusal(answer, 400, 'validation_type')
    expect(pathsIn(answer)).toContainEqual(['data', 'api_slug'])
  })

  test.each(['records', 'people', 'companies', 'deals', 'users', 'workspaces'])(
    'refuses the slug %s, which is taken',
    async (slug) => {
      const { status, body } = await create({ ...named('x'), api_slug: slug })
      expect([`${status} ${body.code}`]).toEqual([expect.stringMatching(/^(400 validation_type|409 slug_conflict)$/)])
    },
  )

  test.each(['api_slug', 'singular_noun', 'plural_noun'])('400 without %s and for an empty one', async (member) => {
    const { [member]: _gone, ...rest } = named('x') as Record<string, string> // all members are texts
    for (const data of [rest, { ...rest, [member]: '' }, { ...rest, [member]: null }]) {
      const answer = await create(data)
      expectRefusal(answer, 400, 'validation_type')
      expect(pathsIn(answer)).toContainEqual(['data', member])
    }
  })

  test('200 with its three attributes; 409 for the same slug or nouns', async () => {
    const { body } = await create(named('projects'))
    expect(body.data).toMatchObject(named('projects'))
    const attributes = (await service().request('GET', '/v2/objects/projects/attributes')).body.data
    expect(attributes.map(({ api_slug }: { api_slug: string }) => api_slug)).toEqual([
      'record_id',
      'created_at',
      'created_by',
    ])
    expectRefusal(await create({ ...named('other'), api_slug: 'projects' }), 409, 'slug_conflict', ['api_slug'])
    expectRefusal(await create({ ...named('other'), singular_noun: 'projects s' }), 409, 'slug_conflict')
    expectRefusal(await create({ ...named('other'), plural_noun: 'projects p' }), 409, 'slug_conflict')
    expectRefusal(await create({ ...named('other'), plural_noun: 'People' }), 409, 'slug_conflict')
  })

  test('400 above the quota', async () => {
    for (let count = 0; count < 8; count++) await create(named(`filler${count}`))
    expectRefusal(await create(named('toomany')), 400, 'quota_exceeded')
    for (let count = 0; count < 8; count++) await service().request('DELETE', `/v2/objects/filler${count}`)
  })
})

describe('PATCH /v2/objects/{object}', () => {
  test('200 for new slug and nouns; the old slug is not found any more', async () => {
    const { request } = service()
    await makeObject(request, 'before')
    expect((await request('PATCH', '/v2/objects/before', { data: { api_slug: 'after' } })).body.data.api_slug).toBe(
      'after',
    )
    expectRefusal(await request('GET', '/v2/objects/before'), 404, 'not_found', ['"before"'])
    expect((await request('GET', '/v2/objects/after')).status).toBe(200)
    recordIdOf(await createRecord(request, 'after', {}))
  })

  test('400 for an empty change, 409 for the slug of another object, 404 for an unknown object', async () => {
    const { request } = service()
    await makeObject(request, 'some')
    for (const data of [{}, { other: 1 }]) {
      expectRefusal(await request('PATCH', '/v2/objects/some', { data }), 400, 'validation_type', ['empty payload'])
    }
    await makeObject(request, 'taken')
    expectRefusal(await request('PATCH', '/v2/objects/some', { data: { api_slug: 'taken' } }), 409, 'slug_conflict')
    expectRefusal(await request('PATCH', '/v2/objects/nothing', { data: { api_slug: 'x' } }), 404, 'not_found')
  })

  test('200 for the nouns of a standard object', async () => {
    const { body } = await service().request('PATCH', '/v2/objects/people', { data: { singular_noun: 'Contact' } })
    expect(body.data).toMatchObject({ api_slug: 'people', singular_noun: 'Contact' })
  })
})

describe('DELETE /v2/objects/{object}', () => {
  test('200 also while it has records, whose references are absent then', async () => {
    const { request } = service()
    await makeObject(request, 'full')
    await makeObject(request, 'referring', [{ api_slug: 'any', type: 'record-reference' }])
    const target_record_id = recordIdOf(await createRecord(request, 'full', {}))
    const id = recordIdOf(
      await createRecord(request, 'referring', { any: { target_object: 'full', target_record_id } }),
    )
    expect((await request('DELETE', '/v2/objects/full')).body).toEqual({})
    expectRefusal(await request('GET', '/v2/objects/full'), 404, 'not_found')
    const { values } = (await request('GET', `/v2/objects/referring/records/${id}`)).body.data
    expect(values.any).toEqual([])
    await makeObject(request, 'full')
  })
})
