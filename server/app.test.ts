import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createApp } from './app'
import { connect } from '#db/connect'
import hiddenRoutes from '../e2e/attack/hidden-routes.json'
import { version } from '../package.json'
import type { Scope } from './vocabulary/scopes'
import { createClient } from './testing/client'
import { testService, type TestService } from './testing/service'

interface Operation {
  operationId: string
  summary: string
  tags: string[]
  parameters: { name: string; in: string; required: boolean }[]
  requestBody?: object
  responses: Record<string, { content: Record<string, { schema: unknown }> }>
  security: object[]
  'x-required-scopes'?: Scope[]
}

let service: TestService
let operations: { method: string; path: string; template: string; operation: Operation }[]

beforeAll(async () => {
  service = await testService()
  const { body } = await service.request('GET', '/openapi.json')
  const paths = Object.entries<Record<string, Operation>>(body.paths).filter(([path]) => path.startsWith('/v2'))
  operations = paths.flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: template.replace('{object}', 'people').replaceAll(/\{\w+\}/g, '11111111-1111-4111-8111-111111111111'),
      template,
      operation,
    })),
  )
})
afterAll(() => service.close())

const guarded = () => operations.filter(({ operation }) => operation['x-required-scopes'] !== undefined)

describe('every route', () => {
  test('is in the OpenAPI document with a complete description', () => {
    const documented = operations.map(({ method, template }) => `${method} ${template}`)
    const routed = service.app.routes
      .filter(({ path }) => path.startsWith('/v2'))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect(documented.toSorted()).toEqual(routed.toSorted())
    for (const { operation, template } of operations) {
      expect([template, operation.summary, operation.tags]).toEqual([
        template,
        expect.any(String),
        [expect.any(String)],
      ])
      const statuses = Object.keys(operation.responses)
      expect([template, statuses]).toEqual([template, expect.arrayContaining(['400', '404', '500'])])
      // A redirect also has the response that follows it.
      expect([template, statuses.filter((status) => status < '300').length]).toEqual([template, 1])
      const names = operation.parameters.filter(({ in: place }) => place === 'path').map(({ name }) => `{${name}}`)
      expect(names).toEqual(template.match(/\{\w+\}/g) ?? [])
    }
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('that is not in the OpenAPI document is in the list that the attack tests use', async () => {
    const { paths } = (await service.request('GET', '/openapi.json')).body
    const isDocumentedScim = (path: string) => path.startsWith('/scim/') && paths[path] !== undefined
    const hidden = service.app.routes
      .filter(({ path }) => !path.startsWith('/v2') && !isDocumentedScim(path.replaceAll(/:(\w+)/g, '{$1}')))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    const attacked = hiddenRoutes.map(({ method, path }) => `${method} ${path}`)
    expect(attacked.toSorted()).toEqual(hidden.toSorted())
  })

  test('401 without a token, except for GET /v2/self', async () => {
    for (const { method, path, operation } of operations) {
      const { status, body } = await service.request(method, path, undefined, { key: null })
      expect([operation.operationId, status]).toEqual([
        operation.operationId,
        operation.operationId === 'getSelf' ? 400 : 401,
      ])
      expect(body.status_code).toBe(status)
    }
  })

  test('403 without its scopes, naming them', async () => {
    const key = await service.keyWith([])
    for (const { method, path, operation } of guarded()) {
      const scopes = operation['x-required-scopes'] ?? []
      if (scopes.length === 0) continue
      const { status, body } = await service.request(method, path, undefined, { key })
      expect([operation.operationId, status, body.required_scopes]).toEqual([operation.operationId, 403, scopes])
    }
  })

  test('answers the same with a trailing slash', async () => {
    for (const { method, path } of operations) {
      expect((await service.request(method, `${path}/`, undefined, { key: null })).status).not.toBe(404)
    }
  })
})

describe('the OpenAPI document', () => {
  test('names the service and its security schemes, and refers only to schemas that it has', async () => {
    const { body, headers } = await service.request('GET', '/openapi.json', undefined, { key: null })
    expect([body.openapi, body.info.title, body.servers]).toEqual([
      '3.1.0',
      'Relata',
      [{ url: 'http://localhost:8080' }],
    ])
    expect(Object.keys(body.components.securitySchemes)).toEqual(['oauth2', 'bearer', 'basic', 'client'])
    expect(headers.get('X-Frame-Options')).toBe('DENY')
    for (const [, pointer = ''] of JSON.stringify(body).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = pointer.split('/').reduce((place, name) => place?.[name], body)
      expect([pointer, typeof target]).toEqual([pointer, 'object'])
    }
  })
})

describe('/docs', () => {
  test('200 with a page that loads nothing from other hosts and has no inline script', async () => {
    const { status, body, headers } = await service.request('GET', '/docs', undefined, { key: null })
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('Content-Security-Policy')).toContain("script-src 'self'")
    expect(body).not.toMatch(/https?:\/\/|<script>|\son\w+=|<style/)
    for (const [, link = ''] of String(body).matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      const part = await service.request('GET', link, undefined, { key: null, headers: { 'Accept-Encoding': 'gzip' } })
      expect([link, part.status]).toEqual([link, 200])
    }
  })
})

describe('other paths', () => {
  test('204 for a preflight request to any path, without a token', async () => {
    const { status, body, headers } = await service.request('OPTIONS', '/v2/objects', undefined, { key: null })
    expect([status, body]).toEqual([204, ''])
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(headers.get('Access-Control-Allow-Methods')).toContain('PATCH')
    expect(headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
    expect(headers.get('Access-Control-Max-Age')).toBe('7200')
  })

  test('HEAD has the status and headers of GET, and no body', async () => {
    const get = await service.request('GET', '/v2/self')
    const head = await service.request('HEAD', '/v2/self')
    expect([head.status, head.body]).toEqual([200, ''])
    expect(head.headers.get('Content-Length')).toBe(String(JSON.stringify(get.body).length))
    expect((await service.request('HEAD', '/v2/objects', undefined, { key: null })).status).toBe(401)
  })

  test('404 for unknown paths and methods', async () => {
    for (const [method, path] of [
      ['GET', '/v3'],
      ['GET', '/v2'],
      ['DELETE', '/v2/objects'],
      ['POST', '/healthz'],
      ['TRACE', '/v2/self'],
    ] as const) {
      const { status, body } = await service.request(method, path)
      expect([status, body.message]).toEqual([404, `Could not find endpoint "${method} ${path}".`])
    }
  })

  test('200 for /healthz and /readyz', async () => {
    expect((await service.request('GET', '/healthz', undefined, { key: null })).body).toEqual({ status: 'alive' })
    expect((await service.request('GET', '/readyz', undefined, { key: null })).body).toEqual({
      status: 'ready',
      version,
    })
  })

  test('503 for /readyz and 200 for /healthz while the database cannot be reached', async () => {
    const db = connect('postgres://postgres@127.0.0.1:1/none')
    const request = createClient(createApp({ ...service.appContext, db }), service.key)
    const log = console.error
    console.error = () => {}
    try {
      expect((await request('GET', '/readyz')).body.code).toBe('unavailable')
      expect((await request('GET', '/v2/objects')).status).toBe(503)
      expect((await request('GET', '/healthz')).status).toBe(200)
    } finally {
      console.error = log
      await db.close()
    }
  })
})
