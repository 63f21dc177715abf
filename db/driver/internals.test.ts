/** Only this folder uses internals of the driver, and the installed driver is the patched one. */

import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json'
import { findInstallationProblem } from '#run/startup/installed-packages'

const ROOT = join(import.meta.dir, '../..')
const HERE = 'db/driver/'

/** The files that open pools. Those of `e2e` must not import the service's code. */
const POOL_OWNERS = [
  'db/connect.ts',
  'db/role-connection.ts',
  'e2e/bench/floor/main.ts',
  'e2e/bench/sql/compare.ts',
  'e2e/support/service/database.ts',
]

/** Undocumented members and options of the driver whose names mean nothing else in this repository. */
const INTERNAL_NAMES =
  /\b(?:canceller|cursorFn|cursorRows|describeFirst|forEachFn|isRaw|max_message|max_pipeline|max_prepared|max_schemas|no_subscribe|onexecute|onlyDescribe|schema_of)\b/

/** Undocumented members of a query with common names. TypeScript permits them only behind such a check or a cast. */
const MEMBER_CHECK = /'(?:cancelled|executed|handler|state)' in /
const CAST_QUERY = /\bas\s+(?:unknown\s+as\s+)?\{[^}]*\b(?:handler|canceller|executed|state)\b/

const sources = new Map(
  ['server', 'db', 'e2e']
    .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync({ cwd: ROOT })])
    .filter((file) => !file.startsWith(HERE))
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
)
const filesWith = (pattern: RegExp) => [...sources].filter(([, text]) => pattern.test(text)).map(([file]) => file)

describe('outside this folder', () => {
  test('only files that open pools import the driver', () => {
    expect(filesWith(/(?:from|import\()\s*['"]postgres['"]/).toSorted()).toEqual(POOL_OWNERS)
  })

  test('no file imports a file of the driver', () => {
    expect(filesWith(/['"]postgres\/|node_modules\/postgres/)).toEqual([])
  })

  test.each([INTERNAL_NAMES, MEMBER_CHECK, CAST_QUERY])('no file matches %p', (pattern) => {
    expect(filesWith(pattern)).toEqual([])
  })
})

describe('the patch', () => {
  const [[key, patch] = []] = Object.entries(manifest.patchedDependencies)

  test('is of the exact version that package.json names', () => {
    expect([key, patch]).toEqual([
      `postgres@${manifest.dependencies.postgres}`,
      `${HERE}postgres@${manifest.dependencies.postgres}.patch`,
    ])
    expect(existsSync(join(ROOT, String(patch)))).toBe(true)
  })

  test('is applied to the installed driver', () => {
    expect(findInstallationProblem()).toBeUndefined()
  })
})
