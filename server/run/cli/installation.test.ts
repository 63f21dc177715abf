import { expect, test } from 'bun:test'
import { holdSending } from '#testing/installation'
import { useTestService } from '#testing/use-service'
import { runCommandLine } from './run'

const service = useTestService()

async function run(...words: string[]) {
  const lines: string[] = []
  const context = { print: (line: string) => lines.push(line), printError: (line: string) => lines.push(line) }
  const code = await runCommandLine(['installation', ...words], { DATABASE_URL: service.url }, context)
  return { code, output: lines.join('\n') }
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
