import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

const QUADRATIC = 'Time is quadratic on a run of'
const EXPONENTIAL = 'Time is exponential on a run of'
const UNKNOWN = 'The expression is made while the program runs'

const cases: readonly (readonly [code: string, message: string | undefined])[] = [
  ['export const one = /^\\d+(?:\\.\\d+)?$/', undefined],
  ['export const one = (text: string) => text.replace(/\\s+/g, " ")', undefined],
  ['export const one = { pattern: "^[a-z]+(?:-[a-z]+)*$" }', undefined],
  ['export const text = "0*$"', undefined],
  ['export const one = new RegExp("^a+$")', undefined],
  ['export const one = /0+$/', QUADRATIC],
  ['export const one = /^(\\d+)\\.(\\d*?)0*$/', QUADRATIC],
  ['export const one = /^(a+)+$/', EXPONENTIAL],
  ['export const one = { pattern: "^[^x]*[^xy][^x]*$" }', QUADRATIC],
  ['export const SLUG_PATTERN = "[a-z]*$"', QUADRATIC],
  ['export const one = new RegExp(" *$", "u")', QUADRATIC],
  ['export const one = (start: string) => RegExp(`${start}$`)', UNKNOWN],
]

/** The messages of the linter by file name. */
const said = new Map<string, string[]>()
const fileOf = (index: number): string => `case-${index}.ts`

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relata-lint-'))
  try {
    for (const [index, [code]] of cases.entries()) await Bun.write(join(folder, fileOf(index)), `${code}\n`)
    const words = ['run', 'oxlint', '--config', join(ROOT, '.oxlintrc.json'), '--format', 'json', folder]
    const linter = Bun.spawn([process.execPath, ...words], { cwd: ROOT, stderr: 'ignore' })
    const { diagnostics } = JSON.parse(await new Response(linter.stdout).text())
    for (const { filename, message } of diagnostics) {
      const name = filename.split(/[\\/]/).at(-1)
      said.set(name, [...(said.get(name) ?? []), message])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

describe('the linter', () => {
  test.each(cases.map(([code, message], index) => [code, message, fileOf(index)] as const))(
    'on %s',
    (_, message, file) => {
      expect(said.get(file) ?? []).toEqual(message === undefined ? [] : [expect.stringContaining(message)])
    },
  )
})
