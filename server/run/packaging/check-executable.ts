/**
 * Checks an executable for this machine as an operator uses it: `bun server/run/packaging/check-executable.ts dist/relata`. It runs a copy in
 * an empty folder, without settings and with nothing on the PATH. Every release runs it; it takes a few seconds.
 */

import { strict as assert } from 'node:assert'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findFreePort } from '#db/embedded/cluster'
import { VERSION } from '#db/program'

interface Installation {
  readonly folder: string
  readonly port: number
  readonly url: string
}

/** Throws an `AssertionError` for the first difference. Returns how long the first and the second start took, in milliseconds. */
async function checkExecutable(file: string): Promise<{ readonly firstStart: number; readonly start: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'relata executable '))
  try {
    copyFileSync(file, programOf(folder))
    mkdirSync(join(folder, 'home'))
    const port = await findFreePort(0)
    const installation = { folder, port, url: `http://localhost:${port}` }
    assert.ok((await run(installation, '--version')).startsWith(VERSION))
    assert.match(await run(installation, '--help'), /^Usage: relata <command>/)
    const firstStart = await withService(installation, (output) => checkService(installation, output))
    const [unpacked = '', ...others] = readdirSync(join(folder, '.data/programs'))
    assert.deepEqual(others, [])
    const { ino } = statSync(join(folder, '.data/programs', unpacked))
    const start = await withService(installation, async (output) => {
      assert.ok(output.startsWith(`Relata ${VERSION}`))
      assert.doesNotMatch(output, /API key/)
    })
    assert.equal(statSync(join(folder, '.data/programs', unpacked)).ino, ino, 'PostgreSQL was unpacked again')
    // Without a service, a command starts PostgreSQL itself.
    assert.match(await run(installation, 'workspace', 'list'), /my-workspace/)
    return { firstStart, start }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const programOf = (folder: string): string => join(folder, process.platform === 'win32' ? 'relata.exe' : 'relata')

function spawn({ folder, port }: Installation, words: readonly string[]) {
  const env = { HOME: join(folder, 'home'), PORT: String(port) }
  return Bun.spawn([programOf(folder), ...words], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Runs a command, and returns what it prints. */
async function run(installation: Installation, ...words: string[]): Promise<string> {
  const child = spawn(installation, words)
  const [output, problem] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  assert.equal(await child.exited, 0, `relata ${words.join(' ')} failed: ${problem}`)
  return output
}

/** Starts the service, hands over what it printed, and stops it. Returns how long the start took, in milliseconds. */
async function withService(installation: Installation, check: (output: string) => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(installation, [])
  const problem = new Response(child.stderr).text()
  try {
    let output = ''
    for await (const chunk of child.stdout) {
      output += Buffer.from(chunk).toString()
      if (output.includes('listens on')) break
    }
    const took = performance.now() - startedAt
    assert.ok(output.includes('listens on'), `the service did not start: ${output}`)
    await check(output)
    child.kill('SIGTERM')
    assert.equal(await child.exited, 0, `the service did not stop in order: ${await problem}`)
    return took
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
}

async function checkService(installation: Installation, output: string): Promise<void> {
  const { folder, url } = installation
  const [, key = ''] = /API key: +([0-9a-f]{64})$/m.exec(output) ?? []
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const ask = (path: string, body?: unknown) =>
    fetch(url + path, { headers, ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }) })
  const pages = [
    ['/readyz', `"version":"${VERSION}"`],
    ['/objects', '<div id="app">'],
    ['/docs/swagger-ui-bundle.js', 'SwaggerUIBundle'],
    ['/docs/reference/sql', '<h1'],
    ['/docs/guides/webhooks', '<h1'],
    ['/docs/reference.css', 'body'],
    ['/openapi.json', '"example"'],
  ] as const
  for (const [path, text] of pages) {
    const response = await ask(path)
    assert.equal(response.status, 200, path)
    assert.ok((await response.text()).includes(text), `${path} has no ${text}`)
  }
  // The WebAssembly of SQL, the thread of large bodies, the library of assistants, the large library of types.
  const sql = await ask('/v2/sql', { sql: 'select count(*) from objects.people' })
  assert.deepEqual([sql.status, (await sql.json()).data.rows], [200, [{ count: 0 }]])
  const values = { name: 'Large', description: 'x'.repeat(3_000_000) }
  assert.equal((await ask('/v2/objects/companies/records', { data: { values } })).status, 200)
  assert.notEqual((await ask('/mcp', {})).status, 500)
  await checkPasskeys(url)
  await run(installation, 'types', '--key', key, '--to', 'relata.d.ts')
  assert.match(readFileSync(join(folder, 'relata.d.ts'), 'utf8'), /export interface paths/)
  await run(installation, 'backup', 'backup')
  assert.match(await run(installation, 'restore', 'backup', '--check'), /./)
  assert.ok(existsSync(join(folder, 'backup')))
}

/** The library of passkeys depends on the order in which modules are initialized, which is another one in a bundle. */
async function checkPasskeys(url: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' }
  const options = await fetch(`${url}/console/api/sign-in/passkey-options`, { method: 'POST', headers, body: '{}' })
  assert.equal(options.status, 200, await options.text())
}

if (import.meta.main) {
  const [file = 'dist/relata'] = process.argv.slice(2)
  const { firstStart, start } = await checkExecutable(resolve(file))
  console.log(`${file} works. First start: ${Math.round(firstStart)} ms; later ones: ${Math.round(start)} ms.`)
}
