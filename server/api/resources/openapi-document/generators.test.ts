/**
 * The OpenAPI documents in front of strict linters and of generators of clients. See docs/decisions/openapi.md.
 * The files of the generators lie below `node_modules`, because generated code imports packages.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient as generateHeyApi } from '@hey-api/openapi-ts'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import type { Server } from 'bun'
import { generateApi } from 'swagger-typescript-api'
import ts from 'typescript'
import { attributeInput } from '#testing/attributes'
import type { AnswerBody } from '#testing/client'
import { listClient } from '#testing/lists'
import { meetingInput } from '#testing/meetings'
import { testService, type TestService } from '#testing/service'

let service: TestService
let server: Server<undefined>
let folder: string
/** The public document, and the part of that of the workspace that differs from it. */
const documents: Record<string, AnswerBody> = {}
beforeAll(async () => {
  service = await testService({ appUrl: 'https://crm.relata.dev' })
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => service.app.handle(request) })
  folder = await mkdtemp(join(import.meta.dir, '../../../../node_modules/.generated-'))
  await seedModel()
  documents.public = (await service.request('GET', '/openapi.json', undefined, { key: null })).body
  documents.workspace = partOf((await service.request('GET', '/v2/openapi.json')).body)
})
afterAll(async () => {
  await server.stop(true)
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

async function seedModel(): Promise<void> {
  const object = { api_slug: 'projects', singular_noun: 'Project', plural_noun: 'Projects' }
  await service.request('POST', '/v2/objects', { data: object })
  const attributes = [
    attributeInput({ api_slug: 'code', is_required: true, is_unique: true }),
    attributeInput({ api_slug: 'kind', type: 'select', config: { options: ['Internal', 'Other'] } }),
    attributeInput({ api_slug: 'emails', type: 'email-address', is_multiselect: true }),
  ]
  for (const data of attributes)
    expect((await service.request('POST', '/v2/objects/projects/attributes', { data })).status).toBe(200)
  await listClient(service).list({ api_slug: 'hiring', name: 'Hiring' })
}

function partOf({ paths, components, ...document }: AnswerBody): AnswerBody {
  const own = ['projects', 'hiring']
  const isOwn = (text: string) => own.some((slug) => text.includes(`/${slug}/`) || text.startsWith(`${slug}_`))
  const only = (entries: object) => Object.fromEntries(Object.entries(entries).filter(([name]) => isOwn(name)))
  const { error, oauth_error } = components.schemas
  const schemas = { ...only(components.schemas), error, oauth_error }
  return { ...document, paths: only(paths), components: { ...components, schemas } }
}

/** The part of the document of the workspace uses only some of the components. */
const isMeant = (name: string, rule: string): boolean => name === 'public' || !rule.includes('unused-component')

describe.each(['public', 'workspace'])('the %s document', (name) => {
  test('has no problem by the rules of Spectral', async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset({ extends: [oas as RulesetDefinition] }) // the types of the two packages differ
    const problems = await linter.run(documents[name])
    const found = problems.filter(({ code }) => isMeant(name, String(code)))
    expect(found.map(({ code, path, message }) => [code, path.join('/'), message])).toEqual([])
  })

  test('has no problem by the strict rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({
      source: JSON.stringify(documents[name]),
      absoluteRef: 'openapi.json',
      config,
    })
    const found = problems.filter(({ ruleId }) => isMeant(name, ruleId))
    expect(found.map(({ ruleId, location, message }) => [ruleId, location[0]?.pointer, message])).toEqual([])
  })
})

/** A program that compiles only when bodies have types. */
const PROGRAM = `
import type { BatchRecordsData, CreateScimUserData, CreateRecordData, GetRecordResponse } from './public/types.gen'
import type { CreateRecordProjectsData } from './workspace/types.gen'
import { Api } from './api'

export const user: CreateScimUserData['body'] = { userName: 'ada@relata.dev', name: { givenName: 'Ada' } }
// @ts-expect-error userName is required
export const anybody: CreateScimUserData['body'] = { name: { givenName: 'Ada' } }
export const batch: BatchRecordsData['body'] = { data: { operations: [
  { op: 'upsert', matching_attribute: 'domains', values: { domains: ['relata.dev'] } },
  { op: 'delete', record_id: 'x' },
] } }
// @ts-expect-error a creation has values
export const empty: BatchRecordsData['body'] = { data: { operations: [{ op: 'create' }] } }
export const record: CreateRecordData['body'] = { data: { values: { name: 'Ada', anything: [{ value: 1 }] } } }
export const read = ({ data }: GetRecordResponse): unknown => data.values['name']?.[0]?.['value']
export const project: CreateRecordProjectsData['body'] = { data: { values: { code: 'A1', kind: 'Internal' } } }
// @ts-expect-error there is no such option
export const unknown: CreateRecordProjectsData['body'] = { data: { values: { code: 'A1', kind: 'Third' } } }

const api = new Api()
export const created = api.scim.createScimUser({ userName: 'ada@relata.dev' })
// @ts-expect-error userName is required
export const refused = api.scim.createScimUser({})
`

describe('generators', () => {
  const generate = (name: string) =>
    generateHeyApi({
      input: documents[name],
      output: { path: join(folder, name) },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk', 'zod'],
      logs: { level: 'silent' },
    })
  beforeAll(async () => {
    await generate('public')
    await generate('workspace')
    await generateApi({ fileName: 'api.ts', output: folder, spec: documents.public, silent: true })
  })

  test('write code that TypeScript compiles, with types of all bodies', async () => {
    const main = join(folder, 'main.ts')
    await Bun.write(main, PROGRAM)
    const program = ts.createProgram([main, join(folder, 'workspace/sdk.gen.ts')], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
    })
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(({ file, messageText }) => [file?.fileName, ts.flattenDiagnosticMessageText(messageText, '\n')])
    expect(problems).toEqual([])
  })

  test('write a client that creates and reads a record, and schemas that responses have', async () => {
    const sdk = await import(join(folder, 'workspace/sdk.gen.ts'))
    const schemas = await import(join(folder, 'workspace/zod.gen.ts'))
    const { client } = await import(join(folder, 'workspace/client.gen.ts'))
    client.setConfig({ baseUrl: `http://127.0.0.1:${server.port}`, auth: () => service.key })
    const body = { data: { values: { code: 'A1', kind: 'Internal', emails: ['ada@relata.dev'] } } }
    expect(schemas.zCreateRecordProjectsBody.safeParse(body).success).toBe(true)
    const made = await sdk.createRecordProjects({ body })
    expect([made.response.status, made.error]).toEqual([200, undefined])
    const { record_id } = made.data.data.id
    const found = await sdk.queryRecordsProjects({ body: { filter: { code: 'A1' } } })
    expect(found.data.data).toEqual([made.data.data])
    const read = await sdk.getRecordProjects({ path: { record_id } })
    expect(schemas.zGetRecordProjectsResponse.safeParse(read.data).error).toBeUndefined()
    expect(read.data.data.values.kind[0].option.title).toBe('Internal')
    const refused = await sdk.createRecordProjects({ body })
    expect([refused.response.status, refused.error.code]).toEqual([400, 'uniqueness_conflict'])
  })

  test('write a client for meetings, activities and the deletion of objects, and schemas that their responses have', async () => {
    const sdk = await import(join(folder, 'public/sdk.gen.ts'))
    const schemas = await import(join(folder, 'public/zod.gen.ts'))
    const { client } = await import(join(folder, 'public/client.gen.ts'))
    client.setConfig({ baseUrl: `http://127.0.0.1:${server.port}`, auth: () => service.key })
    const run = async (operation: string, input: Record<string, unknown> = {}): Promise<AnswerBody> => {
      const schemaOf = (part: string) => schemas[`z${operation[0]?.toUpperCase()}${operation.slice(1)}${part}`]
      if (input.body !== undefined) expect(schemaOf('Body').safeParse(input.body).error).toBeUndefined()
      const { data, error, response } = await sdk[operation](input)
      expect([operation, response.status, error]).toEqual([operation, 200, undefined])
      expect([operation, schemaOf('Response').safeParse(data).error]).toEqual([operation, undefined])
      return data
    }
    const person = (await run('createRecord', { path: { object: 'people' }, body: { data: { values: {} } } })).data.id
    const linked_records = [{ object: 'people', record_id: person.record_id }]

    const { meeting_id } = (await run('createMeeting', { body: { data: { ...meetingInput(), external_ref: 'one' } } }))
      .data.id
    const meeting = { path: { meeting_id }, body: { data: { linked_records } } }
    expect((await run('updateMeeting', meeting)).data.linked_records).toHaveLength(1)
    const unlinked = { ...meeting, body: { data: { linked_records: [] } } }
    expect((await run('replaceMeetingLinks', unlinked)).data.linked_records).toEqual([])
    await run('deleteMeeting', { path: { meeting_id } })

    const names = { singular_noun: 'Demo', plural_noun: 'Demos' }
    await run('createActivity', { body: { data: { api_slug: 'demos', ...names, extends: 'calls' } } })
    const activity = { activity: 'demos' }
    await run('updateActivity', { path: activity, body: { data: { plural_noun: 'Demonstrations' } } })
    expect((await run('getActivity', { path: activity })).data.plural_noun).toBe('Demonstrations')
    expect((await run('listActivities', { query: { limit: 10 } })).data).toHaveLength(2)
    const code = attributeInput({ api_slug: 'code', is_unique: true })
    expect((await service.request('POST', '/v2/activities/demos/attributes', { data: code })).status).toBe(200)
    const withValues = (values: object) => ({ body: { data: { values } } })
    const record = (await run('createActivityRecord', { path: activity, ...withValues({ code: 'a', people: [] }) }))
      .data
    const one = { ...activity, record_id: record.id.record_id }
    const matched = {
      path: activity,
      query: { matching_attribute: 'code' },
      ...withValues({ code: 'a', note: 'Upserted' }),
    }
    expect((await run('upsertActivityRecord', matched)).data.id).toEqual(record.id)
    await run('updateActivityRecordAppend', { path: one, ...withValues({ people: [person.record_id] }) })
    await run('updateActivityRecordOverwrite', { path: one, ...withValues({ direction: 'Outbound' }) })
    const read = (await run('getActivityRecord', { path: one })).data.values
    expect([read.note[0].value, read.people.length, read.direction[0].option.title]).toEqual([
      'Upserted',
      1,
      'Outbound',
    ])
    const query = { filter: { code: 'a' }, sorts: [{ attribute: 'timestamp', direction: 'desc' }] }
    expect((await run('queryActivityRecords', { path: activity, body: query })).data).toHaveLength(1)
    await run('deleteActivityRecord', { path: one })
    await run('deleteActivity', { path: activity })

    await run('createObject', { body: { data: { api_slug: 'boats', singular_noun: 'Boat', plural_noun: 'Boats' } } })
    await run('deleteObject', { path: { object: 'boats' } })
  })
})
