/**
 * An import causes the events of writing its rows one by one.
 * See docs/reference/webhooks-and-events.md (What causes what).
 */

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { importCommand } from '#run/cli/import/command'
import { runCommand, useFolder } from '#testing/command-line'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const folder = useFolder()

async function importPeople(...rows: string[]): Promise<void> {
  const path = join(folder, 'people.csv')
  await Bun.write(path, ['Email addresses,Job title,Company', ...rows].join('\n'))
  await runCommand(service, importCommand, ['people', path])
}

async function countsOf(): Promise<Record<string, number>> {
  const events = await service.events()
  const names = events.map(({ event_type, actor }) => `${event_type} by ${actor.type}`)
  return Object.fromEntries(
    Map.groupBy(names, (name) => name)
      .entries()
      .map(([name, all]) => [name, all.length]),
  )
}

test('an import causes one event for each new record and each changed attribute, and events of the system for the other sides', async () => {
  const values = { domains: ['acme.example.com'], name: 'Acme' }
  await service.request('POST', '/v2/objects/companies/records', { data: { values } })
  await service.events()
  const rows = Array.from({ length: 250 }, (_, row) => `p${row}@example.com,Analyst,acme.example.com`)
  await importPeople(...rows)
  const created = await countsOf()
  expect(created['record.created by system']).toBe(250)
  expect(created['record.updated by system']).toBeGreaterThan(0)
  await importPeople(...rows)
  expect(await countsOf()).toEqual({})
  await importPeople(...rows.map((row, index) => (index < 3 ? row.replace('Analyst', 'Head') : row)))
  expect(await countsOf()).toEqual({ 'record.updated by system': 3 })
})
