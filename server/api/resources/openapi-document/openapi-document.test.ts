/** The OpenAPI documents, checked by an independent validator, and the TypeScript types made of them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type AnswerBody } from '#testing/client'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Server } from 'bun'
import ts from 'typescript'
import { runCommandLine } from '#run/cli/run'
import { attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { testService, type TestService } from '#testing/service'

let service: TestService
let server: Server<undefined>
let folder: string
let document: AnswerBody
const ajv = addFormats(new Ajv2020({ strict: false }))
beforeAll(async () => {
  service = await testService({ appUrl: 'https://crm.example.com' })
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answerInPart })
  folder = await mkdtemp(join(tmpdir(), 'relata-types-'))
  await seedModel()
  document = await readDocument()
  ajv.addSchema(document, 'document')
})
afterAll(async () => {
  await server.stop(true)
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** An object with an attribute of most types, and a list. */
async function seedModel() {
  const post = async (path: string, data: object) => {
    const { status, body } = await service.request('POST', path, { data })
    expect([path, status, body.message]).toEqual([path, 200, undefined])
  }
  await post('/v2/objects', { api_slug: 'projects', singular_noun: 'Project', plural_noun: 'Projects' })
  const attributes = [
    { api_slug: 'code', type: 'text', is_required: true, is_unique: true },
    { api_slug: 'size', type: 'number' },
    { api_slug: 'is_open', type: 'checkbox' },
    {
      api_slug: 'budget',
      type: 'currency',
      config: { currency: { default_currency_code: 'EUR', display_type: 'code' } },
    },
    { api_slug: 'due', type: 'date' },
    { api_slug: 'seen_at', type: 'timestamp' },
    { api_slug: 'stars', type: 'rating' },
    { api_slug: 'kinds', type: 'select', is_multiselect: true },
    { api_slug: 'stage', type: 'status' },
    { api_slug: 'lead', type: 'record-reference', config: { record_reference: { allowed_objects: ['people'] } } },
    { api_slug: 'responsible', type: 'actor-reference' },
    { api_slug: 'place', type: 'location' },
    { api_slug: 'site', type: 'domain' },
    { api_slug: 'emails', type: 'email-address', is_multiselect: true },
    { api_slug: 'phone', type: 'phone-number' },
  ]
  for (const attribute of attributes) await post('/v2/objects/projects/attributes', attributeInput(attribute))
  for (const title of ['Internal', 'Won 🎉']) await post('/v2/objects/projects/attributes/kinds/options', { title })
  await post('/v2/objects/projects/attributes/stage/statuses', { title: 'Open' })
  await listClient(service).list({ api_slug: 'hiring', name: 'Hiring' })
  await post('/v2/lists/hiring/attributes', attributeInput({ api_slug: 'grade', type: 'rating' }))
}

/** Answers with the document without the paths of other objects, because making types of all of them takes some seconds. */
async function answerInPart(request: Request): Promise<Response> {
  request.headers.delete('accept-encoding')
  const response = await service.app.handle(request)
  if (!response.ok) return response
  const whole = await response.json()
  const paths = Object.entries(whole.paths).filter(([path]) => path.startsWith('/v2/objects/projects/'))
  return Response.json({ ...whole, paths: Object.fromEntries(paths) })
}

async function readDocument(key?: string): Promise<AnswerBody> {
  const { status, body } = await service.request('GET', '/v2/openapi.json', undefined, key === undefined ? {} : { key })
  expect(status).toBe(200)
  return body
}

type Content = Readonly<
  Record<string, { readonly schema: object; readonly example?: { readonly status_code?: number } }>
>

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Content }
}

const operationsOf = (paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods))

/** Returns what is wrong with a value by the schema at `path` of the document. */
function problemsOf(value: unknown, ...path: string[]) {
  const pointer = path.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
  const validate = ajv.getSchema(encodeURI(`document#/${pointer}`).replaceAll('%23', '#'))
  if (validate === undefined) throw new Error(`There is no schema at ${pointer}.`)
  return validate(value) ? [] : validate.errors
}

const schemaOfBody = ['requestBody', 'content', 'application/json', 'schema']
const schemaOfAnswer = ['responses', '200', 'content', 'application/json', 'schema']

describe('GET /v2/openapi.json', () => {
  test('200 with a document that a validator accepts, as it does the public one', async () => {
    const open = (await service.request('GET', '/openapi.json', undefined, { key: null })).body
    expect(await new Validator().validate(open)).toEqual({ valid: true })
    expect(await new Validator().validate(document)).toEqual({ valid: true })
    expect(document.info.title).toBe('Relata: Workspace 1')
  })

  test('200 with a path for each object and list, and an id for each operation', () => {
    const paths = Object.keys(document.paths)
    expect(paths).toEqual(
      expect.arrayContaining([
        '/v2/objects/projects/records',
        '/v2/objects/people/records/{record_id}',
        '/v2/lists/hiring/entries/query',
        '/v2/objects/{object}/attributes',
      ]),
    )
    expect(paths.filter((path) => /\{object\}\/records|\{list\}\/entries/.test(path))).toEqual([])
    const ids = operationsOf(document.paths).map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toContain('createRecord_projects')
    const { parameters } = document.paths['/v2/objects/projects/records'].put
    expect(parameters.find(({ name }: { name: string }) => name === 'matching_attribute').schema.enum).toContain('code')
  })

  test('200 with options as enums, required attributes, and the objects of references', () => {
    const { schemas } = document.components
    expect(schemas.projects_record_create.required).toEqual(['code'])
    const input = schemas.projects_record_input.properties
    expect(JSON.stringify(input.kinds)).toContain('"enum":["Internal","Won 🎉"]')
    expect(JSON.stringify(input.lead)).toContain('"enum":["people"]')
    expect(Object.keys(input)).not.toContain('created_at')
    expect(Object.keys(schemas.projects_record_values.properties)).toContain('created_at')
    expect(schemas.hiring_entry_input.properties.grade).toBeObject()
  })

  test('200 with schemas that fit requests and responses of every type', async () => {
    const person = await listClient(service).record('people', { name: 'Lovelace, Ada' })
    const values = {
      code: 'A1',
      size: 3,
      is_open: true,
      budget: 10.5,
      due: '2026-01-02',
      seen_at: [{ value: '2026-01-02T03:04:05Z' }],
      stars: 4,
      kinds: ['Internal', { option: 'Won 🎉' }],
      stage: 'Open',
      lead: { target_object: 'people', target_record_id: person },
      responsible: service.member.email_address,
      place: null,
      site: 'example.com',
      emails: ['a@example.com', { email_address: 'b@example.com' }],
      phone: { original_phone_number: '+4930123456', country_code: 'DE' },
    }
    const path = '/v2/objects/projects/records'
    expect(problemsOf({ data: { values } }, 'paths', path, 'post', ...schemaOfBody)).toEqual([])
    const { status, body } = await service.request('POST', path, { data: { values } })
    expect(status).toBe(200)
    expect(problemsOf(body, 'paths', path, 'post', ...schemaOfAnswer)).toEqual([])
    const found = (await service.request('POST', `${path}/query`, {})).body
    expect(problemsOf(found, 'paths', `${path}/query`, 'post', ...schemaOfAnswer)).toEqual([])

    const wrong = [
      {},
      { code: null },
      { code: 'A', kinds: 'Other' },
      { code: 'A', size: 'three' },
      { code: 'A', stars: 9 },
    ]
    for (const each of wrong)
      expect(problemsOf({ data: { values: each } }, 'paths', path, 'post', ...schemaOfBody)).not.toEqual([])
  })

  test('200 without lists for a key that lacks list_configuration:read, and 403 without object_configuration:read', async () => {
    const { paths, components } = await readDocument(await service.keyWith(['object_configuration:read']))
    expect(Object.keys(paths).filter((path) => path.includes('hiring'))).toEqual([])
    expect(Object.keys(components.schemas).filter((name) => name.includes('hiring'))).toEqual([])
    const key = await service.keyWith(['list_configuration:read'])
    expect((await service.request('GET', '/v2/openapi.json', undefined, { key })).status).toBe(403)
  })

  test("200 with the data model of the caller's workspace alone", async () => {
    const { key } = await service.anotherWorkspace()
    const { paths, info } = await readDocument(key)
    expect([info.title, Object.keys(paths).filter((path) => path.includes('projects'))]).toEqual([
      'Relata: Workspace 2',
      [],
    ])
  })
})

describe('the public OpenAPI document', () => {
  test('has 409, 412, 413 and 415 where they occur, with examples, and examples that fit the schemas of bodies', async () => {
    const { paths, components } = (await service.request('GET', '/openapi.json', undefined, { key: null })).body
    const statuses = (path: string, method: string) => Object.keys(paths[path][method].responses)
    expect(statuses('/v2/objects/{object}/records/{record_id}', 'patch')).toEqual(
      expect.arrayContaining(['409', '412', '413', '415']),
    )
    expect(statuses('/v2/objects/{object}/records/{record_id}', 'get')).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '429',
      '500',
    ])
    for (const [name, { content }] of Object.entries<{ content: Content }>(components.responses)) {
      expect(`error_${content['application/json']?.example?.status_code}`).toBe(name)
    }
    const bodies = operationsOf(paths).flatMap(({ requestBody }) => {
      const media = requestBody?.content['application/json']
      return media?.example === undefined ? [] : [media]
    })
    expect(bodies.length).toBeGreaterThan(20)
    for (const { schema, example } of bodies)
      expect([example, ajv.validate(schema, example), ajv.errors]).toEqual([example, true, null])
  })
})

/** A program that compiles only with the types of the workspace. */
const PROGRAM = `
import type { components, operations } from './relata'
type Create = operations['createRecord_projects']['requestBody']['content']['application/json']
export const whole: Create = { data: { values: { code: 'A1', kinds: ['Internal'], size: 3, place: null } } }
// @ts-expect-error code is required
export const incomplete: Create = { data: { values: { size: 3 } } }
// @ts-expect-error there is no such option
export const unknownOption: Create = { data: { values: { code: 'A1', kinds: 'Other' } } }
// @ts-expect-error a number
export const wrongType: Create = { data: { values: { code: 'A1', size: 'three' } } }
export const titles = (values: components['schemas']['projects_record_values']): ('Internal' | 'Won 🎉' | undefined)[] =>
  (values.kinds ?? []).map(({ option }) => option.title)
`

describe('relata types', () => {
  const run = async (...words: string[]) => {
    const output: string[] = []
    const print = (line: string) => void output.push(line)
    const address = `http://127.0.0.1:${server.port}`
    const code = await runCommandLine(['types', '--service', address, ...words], {}, { print, printError: print })
    return { code, output: output.join('\n') }
  }

  test('writes types that TypeScript compiles and that refuse wrong values', async () => {
    const to = join(folder, 'relata.d.ts')
    expect(await run('--key', service.key, '--to', to)).toEqual({ code: 0, output: `Wrote ${to}.` })
    const main = join(folder, 'main.ts')
    await Bun.write(main, PROGRAM)
    const program = ts.createProgram([main], { strict: true, noEmit: true, types: [], lib: ['lib.es2022.d.ts'] })
    const messages = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
    expect(messages).toEqual([])
  })

  test('1 for a key that the service refuses', async () => {
    const { code, output } = await run('--key', '0'.repeat(64))
    expect([code, output]).toEqual([1, expect.stringContaining('401')])
  })
})
