import { expect, test } from 'bun:test'
import { holdSending } from '#testing/installation'
import { useTestService } from '#testing/use-service'
import { runRelata } from '#testing/command-line'

const service = useTestService()

async function run(...words: string[]) {
  const { exitCode, text } = await runRelata(['installation', ...words], { DATABASE_URL: service.url })
  return { code: exitCode, output: text }
}

test('shows and ends the hold', async () => {
  expect(await run('show')).toEqual({ code: 1, output: 'No service has been started on this database yet.' })
  expect(await run('move')).toEqual({ code: 1, output: 'Nothing is held.' })
  await holdSending(service)
  expect(await run('show')).toEqual({ code: 0, output: expect.stringContaining('bun relata installation copy') })
  expect(await run('copy')).toEqual({ code: 0, output: expect.stringContaining('all webhooks are inactive') })
  expect(await run('show')).toEqual({
    code: 0,
    output: 'Nothing is held. The database serves https://staging.example.com.',
  })
  const entries = await service.db
    .sql`select actor_type, actor_id from relata.audit_log where action = 'installation.copied'`
  expect(entries.map((entry) => ({ ...entry }))).toEqual([{ actor_type: 'system', actor_id: 'command-line' }])
})
