import { describe, expect, test } from 'bun:test'
import { runRelata, useFirstWorkspace } from '#testing/command-line'

const database = useFirstWorkspace()

const relata = (...words: string[]) => runRelata(words, { DATABASE_URL: database.url })

const WANTED = ['--name', 'Sync', '--redirect', 'https://a.example/cb', '--scopes', 'record_permission:read']

describe('relata app', () => {
  test('create prints id and secret once; list prints the rest; delete deletes the app', async () => {
    const { exitCode, lines } = await relata('app', 'create', ...WANTED)
    expect(exitCode).toBe(0)
    expect(lines).toEqual([
      'App Sync of workspace first; its secret is shown only now:',
      expect.stringMatching(/^client_id {6}[0-9a-f-]{36}$/),
      expect.stringMatching(/^client_secret {2}[0-9a-f]{64}$/),
    ])
    const id = lines[1]?.split(/\s+/)[1] ?? ''
    const list = (await relata('app', 'list')).lines.join('\n')
    expect(list).toMatch(new RegExp(`^${id}  Sync  confidential  own workspace  .* https://a.example/cb +record_`, 'm'))

    expect((await relata('app', 'delete', id)).lines).toEqual([`App ${id} is deleted.`])
    expect((await relata('app', 'delete', id)).problem).toBe(`The workspace first has no app with the id "${id}".`)
    const log = await database.db
      .sql`select action, actor_id from relata.audit_log where subject_id = ${id} order by id`
    expect(log.map(({ action, actor_id }) => [action, actor_id])).toEqual([
      ['app.created', 'command-line'],
      ['app.deleted', 'command-line'],
    ])
  })

  test('create --json prints one line for scripts; a public app has no secret', async () => {
    const more = ['--redirect', 'http://localhost/cb', '--published', '--refresh-tokens', '--json']
    const [line = ''] = (await relata('app', 'create', ...WANTED, ...more)).lines
    const { client_id, client_secret } = JSON.parse(line)
    expect(client_secret).toMatch(/^[0-9a-f]{64}$/)
    const [app] = await database.db.sql`select * from relata.apps where id = ${client_id}`
    expect(app).toMatchObject({
      redirect_uris: ['https://a.example/cb', 'http://localhost/cb'],
      is_published: true,
      uses_refresh_tokens: true,
    })

    const own = ['--redirect', 'com.example.app:/cb', '--public', '--json']
    const isPublic = await relata('app', 'create', ...WANTED, ...own)
    expect(JSON.parse(isPublic.lines[0] ?? '')).toEqual({ client_id: expect.any(String), client_secret: null })
  })

  test('create refuses an invalid redirect URI with the reason', async () => {
    const { exitCode, problem } = await relata('app', 'create', ...WANTED, '--redirect', 'http://a.example/cb')
    expect(exitCode).toBe(1)
    expect(problem).toContain('redirect_uris.1: A redirect URI must begin with https://')
  })
})
