/** Checks docs/architecture.md (The files of an update). */

import { expect, test } from 'bun:test'
import { join } from 'node:path'

const { stdout } = Bun.spawnSync([process.execPath, join(import.meta.dir, 'files-of-an-update.ts')], {
  stderr: 'inherit',
})
const lines = stdout.toString().trim().split('\n')
const files = lines.slice(0, -1)
const returns = Number.parseInt(lines.at(-1) ?? '')
const page = await Bun.file(join(import.meta.dir, '../../docs/architecture.md')).text()
const [section = ''] = page.split('### The files of an update\n')[1]?.split('\n### ') ?? []

test('an update runs functions of no more files than the page says', () => {
  expect(files.length).toBeGreaterThan(40)
  expect(files.length).toBeLessThanOrEqual(Number(/functions of (\d+) files/.exec(section)?.[1]))
})

test('it returns to files that it has left no more often than the page says', () => {
  expect(returns).toBeGreaterThan(40)
  expect(returns).toBeLessThanOrEqual(Number(/at most (\d+) returns/.exec(section)?.[1]))
})

test('it runs those of the table', () => {
  const named = [...section.matchAll(/^\| `(server\/[^`]+)`/gm)].map(([, file]) => file)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((file) => !files.includes(file!))).toEqual([])
})
