/** A Radicale of a test, as an ordinary process with a folder and a port of its own. */

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '#db/embedded/cluster'
import { createTemporaryFolder } from './temporary-folder'
import { until } from './until'

export interface Radicale {
  readonly url: string
  readonly user: string
  /** An address at which Radicale takes this access token instead of a password. */
  readonly tokenUrl: string
  token: string
  setPassword(password: string): void
  /** Makes a calendar of the only user. */
  makeCalendar(name: string): Promise<void>
  put(calendar: string, name: string, text: string): Promise<void>
  remove(calendar: string, name: string): Promise<void>
  stop(): Promise<void>
}

export const RADICALE = Bun.which('radicale')

export async function startRadicale(password: string): Promise<Radicale> {
  if (RADICALE === null) throw new Error('Radicale is not installed.')
  const folder = createTemporaryFolder()
  const port = await findFreePort(0)
  const users = join(folder, 'users')
  let current = password
  const setPassword = (word: string) => {
    current = word
    writeFileSync(users, `ada:${word}\n`)
  }
  setPassword(password)
  writeFileSync(
    join(folder, 'config'),
    `
[server]
hosts = 127.0.0.1:${port}
[auth]
type = htpasswd
htpasswd_filename = ${users}
htpasswd_encryption = plain
delay = 0
[storage]
filesystem_folder = ${folder}/storage
[logging]
level = error
`,
  )
  const child = Bun.spawn([RADICALE, '--config', join(folder, 'config')], { stdio: ['ignore', 'ignore', 'ignore'] })
  const url = `http://127.0.0.1:${port}`
  const send = async (method: string, path: string, body?: string) => {
    const headers = { Authorization: `Basic ${btoa(`ada:${current}`)}`, 'Content-Type': 'text/calendar; charset=utf-8' }
    const { status } = await fetch(`${url}/ada/${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
    if (status >= 400) throw new Error(`${method} ${path}: ${status}`)
  }
  await until(() => fetch(url).then(
    () => true,
    () => false,
  )) // prettier-ignore
  // Radicale knows no tokens, so a proxy replaces the one that is accepted by the password.
  const proxy = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: withPassword })
  async function withPassword(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (request.headers.get('authorization') !== `Bearer ${radicale.token}`)
      return new Response('Invalid Credentials', { status: 401 })
    const headers = new Headers(request.headers)
    headers.set('authorization', `Basic ${btoa(`ada:${current}`)}`)
    const body = request.body === null ? {} : { body: await request.arrayBuffer() }
    return fetch(`${url}${pathname}`, { method: request.method, headers, redirect: 'manual', ...body })
  }
  const radicale: Radicale = {
    url,
    user: 'ada',
    tokenUrl: `http://127.0.0.1:${proxy.port}`,
    token: '',
    setPassword,
    makeCalendar: (name) => send('MKCALENDAR', `${name}/`),
    put: (calendar, name, text) => send('PUT', `${calendar}/${name}`, text),
    remove: (calendar, name) => send('DELETE', `${calendar}/${name}`),
    async stop() {
      await proxy.stop(true)
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return radicale
}
