/** Starts programs in a copy of the tree, whose packages a test leaves out or changes. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createTemporaryFolder } from '#testing/temporary-folder'
import { findInstallationProblem } from './installed-packages'

const ROOT = join(import.meta.dir, '../../..')
const PROGRAMS = ['server/main.ts', 'server/run/cli/main.ts']
const DRIVER = join('node_modules', 'postgres')
/** A line that the patch adds to the driver. */
const PATCHED_LINE = /^\+( {2,}\w.*)$/m

let root: string
beforeAll(() => {
  root = realpathSync(createTemporaryFolder())
  for (const name of ['package.json', 'server', 'db', 'web/src', 'docs'])
    cpSync(join(ROOT, name), join(root, name), { recursive: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Installs all packages except those that the test replaces. A package without its own folder is missing. */
function install(replaced: readonly string[] = []): void {
  rmSync(join(root, 'node_modules'), { recursive: true, force: true })
  const names = readdirSync(join(ROOT, 'node_modules')).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(ROOT, 'node_modules', name)).map((each) => `${name}/${each}`) : [name],
  )
  for (const name of names.filter((each) => !replaced.includes(each))) {
    const link = join(root, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), link)
  }
}

async function run(program: string) {
  const child = Bun.spawn([process.execPath, join(root, program), 'migrate'], {
    cwd: '/',
    env: { PATH: process.env.PATH, RELATA_PROT: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text())
  return { code: await child.exited, output }
}

const WAY_OUT = () => `run "bun install --frozen-lockfile" in ${root}`

describe.each(PROGRAMS)('%s ends with a sentence', (program) => {
  test('without packages', async () => {
    rmSync(join(root, 'node_modules'), { recursive: true, force: true })
    expect(await run(program)).toEqual({
      code: 1,
      output: `Packages of Relata are not installed (none is there); ${WAY_OUT()}, or start with "bun start".\n`,
    })
  })

  test('without the package of the driver, and with another version of it', async () => {
    install(['postgres'])
    const { code, output } = await run(program)
    expect([code, output]).toEqual([1, expect.stringContaining('are not installed (postgres ')])
    cpSync(realpathSync(join(ROOT, DRIVER)), join(root, DRIVER), { recursive: true })
    const manifest = join(root, DRIVER, 'package.json')
    writeFileSync(manifest, JSON.stringify({ ...(await Bun.file(manifest).json()), version: '3.4.0' }))
    expect((await run(program)).output).toContain('are not installed (postgres ')
  })

  test('with a driver without the patch', async () => {
    install(['postgres'])
    cpSync(realpathSync(join(ROOT, DRIVER)), join(root, DRIVER), { recursive: true })
    const [patch = ''] = [...new Bun.Glob('*.patch').scanSync({ cwd: join(ROOT, 'db/driver'), absolute: true })]
    const [, line = ''] = PATCHED_LINE.exec(await Bun.file(patch).text()) ?? []
    for (const source of new Bun.Glob('src/*.js').scanSync({ cwd: join(root, DRIVER), absolute: true }))
      writeFileSync(source, (await Bun.file(source).text()).replaceAll(line, ''))
    const { code, output } = await run(program)
    expect([code, output]).toEqual([1, expect.stringContaining('is installed without its patch db/driver/postgres@')])
    expect(output).toEndWith(`${WAY_OUT()}.\n`)
  })

  test('without a file of the service', async () => {
    install()
    unlinkSync(join(root, 'server/base/timing/clock.ts'))
    const { code, output } = await run(program)
    cpSync(join(ROOT, 'server/base/timing/clock.ts'), join(root, 'server/base/timing/clock.ts'))
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^The installation in .+ is incomplete \(.+(?:clock|#base).+\); /),
    ])
    expect(output.trim().split('\n')).toHaveLength(1)
  })

  test('about its settings when everything is installed', async () => {
    install()
    expect(findInstallationProblem(root)).toBeUndefined()
    expect(await run(program)).toEqual({
      code: 1,
      output: 'RELATA_PROT is not a setting; the README lists them all.\n',
    })
  })
})
