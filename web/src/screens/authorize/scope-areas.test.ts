import { expect, test } from 'bun:test'
import { SCOPES_IN_ORDER } from '#vocabulary/scopes'
import type { ConsentScope } from '../../api/oauth/authorize'
import { groupScopes } from './scope-areas'

const scopeOf = (scope: string): ConsentScope => ({
  scope,
  area: scope.split(':')[0] ?? '',
  level: scope.endsWith(':read') ? 'read' : 'read-write',
  is_dangerous: false,
  is_new_in: [],
})

test('every scope of the service has an area, and each is shown once', () => {
  const groups = groupScopes(SCOPES_IN_ORDER.map(scopeOf))
  expect(groups.map(({ title }) => title)).not.toContain('Other')
  expect(
    groups
      .flatMap(({ scopes }) => scopes)
      .map(({ scope }) => scope)
      .sort(),
  ).toEqual([...SCOPES_IN_ORDER].sort())
})

test('an unknown scope is shown, and an area without scopes is not', () => {
  const groups = groupScopes([scopeOf('telescope:read')])
  expect(groups).toEqual([{ title: 'Other', scopes: [scopeOf('telescope:read')] }])
})
