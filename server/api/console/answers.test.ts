import { expect, test } from 'bun:test'
import { Type } from 'typebox'
import { checkConsoleAnswer, responseOf } from '#testing/console-answers'
import { useTestService } from '#testing/use-service'

const service = useTestService()

test('every route of the console declares its answer, or that it is no JSON', () => {
  const routes = service.app.routes.filter(({ path }) => path.startsWith('/console/api/'))
  const named = (wanted: null | undefined) =>
    routes.filter((route) => responseOf(route) === wanted).map(({ method, path }) => `${method} ${path}`)
  expect(routes.length).toBeGreaterThan(100)
  expect(named(undefined)).toEqual([])
  expect(named(null).toSorted()).toEqual([
    'GET /console/api/workspaces/:workspace_id/audit-log/export',
    'GET /console/api/workspaces/:workspace_id/files/:file_id/content',
    'GET /console/api/workspaces/:workspace_id/imports/:import_id/problems',
    'GET /console/api/workspaces/:workspace_id/objects/:object_id/records/:record_id/picture/:digest',
    'POST /console/api/workspaces/:workspace_id/file-imports',
    'POST /console/api/workspaces/:workspace_id/personal-data/export',
  ])
})

test('an answer that its schema refuses, or with a member that the schema lacks, fails a test', () => {
  const detail = { 'x-response': Type.Object({ data: Type.Object({ id: Type.String() }) }) }
  const routes = { routes: [{ method: 'GET', path: '/console/api/things/:id', hooks: { detail } }] }
  const check = (body: unknown) => () => checkConsoleAnswer(routes, 'GET', '/console/api/things/1', body)
  expect(check({ data: { id: '1' } })).not.toThrow()
  expect(check({ data: { id: 1 } })).toThrow('must be string')
  expect(check({ data: { id: '1', name: 'a' } })).toThrow('has members that its schema lacks')
})
