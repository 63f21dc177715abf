import { describe, expect, test } from 'bun:test'
import { ROUTES } from '../routes'
import { inWorkspace, nameInPaths, splitPath } from './workspace-path'

describe('splitPath', () => {
  test.each([
    ['/acme/objects/people', 'acme', '/objects/people'],
    ['/acme/tasks', 'acme', '/tasks'],
    ['/acme/settings/objects/people', 'acme', '/settings/objects/people'],
    ['/a%20b/inbox', 'a b', '/inbox'],
    ['/%E0%A4%A/inbox', '%E0%A4%A', '/inbox'],
    ['/objects/people', undefined, '/objects/people'],
    ['/objects/objects/1', undefined, '/objects/objects/1'],
    ['/settings/objects', undefined, '/settings/objects'],
    ['/sign-in', undefined, '/sign-in'],
    ['/sign-in/callback/x', undefined, '/sign-in/callback/x'],
    ['/acme/person/1', undefined, '/acme/person/1'],
    ['/acme/ships/record/1', undefined, '/acme/ships/record/1'],
    ['/acme/lists/record/1', undefined, '/acme/lists/record/1'],
    ['/acme/objects/record/1', 'acme', '/objects/record/1'],
    ['/', undefined, '/'],
  ])('%s', (pathname, workspace, path) => {
    expect(splitPath(pathname)).toEqual({ workspace, path })
  })
})

test('a path is completed once, and only that of a page of a workspace', () => {
  expect(inWorkspace('/objects/people', 'acme')).toBe('/acme/objects/people')
  expect(inWorkspace('/acme/objects/people', 'acme')).toBe('/acme/objects/people')
  expect(inWorkspace('/other/objects/people', 'acme')).toBe('/other/objects/people')
  expect(inWorkspace('/sign-in', 'acme')).toBe('/sign-in')
  expect(inWorkspace('/acme/person/1', 'acme')).toBe('/acme/person/1')
  expect(inWorkspace('/objects', undefined)).toBe('/objects')
})

test('a workspace with the slug of a page is named by its id', () => {
  expect(nameInPaths({ id: '1', slug: 'acme' })).toBe('acme')
  expect(nameInPaths({ id: '1', slug: 'tasks' })).toBe('1')
})

test('every page beside the navigation belongs to a workspace', () => {
  const paths = ROUTES.filter(({ frame }) => frame === 'shell').map(({ path }) => path)
  const others = paths.filter((path) => splitPath(`/acme${path}`).workspace === undefined)
  expect(others).toEqual(['/:workspace/:segment/:record', '/:workspace/:object/record/:record'])
})
