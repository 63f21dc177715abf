/** Exports of workspaces and of people, and erasures, leave what a calendar does not share to its member. */

import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportPerson } from '#api/personal-data/export-person'
import { exportWorkspace } from '#run/cli/transfer/export/export-workspace'
import { createProgress } from '#run/cli/transfer/progress'
import { calendar, event } from '#testing/calendars'
import { attendees, changed, GRACE, hour, useCalendars } from '#testing/connected-calendars'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const ada = usePerson(service)
const { state, accounts, connect, untilRead, meetings, titles, readAgain } = useCalendars(
  service,
  [ada],
  ({ url }) => ({
    kind: 'ics',
    settings: { name: 'Work' },
    secret: { url: `${url}/calendar.ics` },
  }),
)

test('an export of the workspace has of meetings with recordings the time, and of others nothing', async () => {
  state.server.ics = calendar(
    event('recorded secret', 'DESCRIPTION:more', ...hour(), ...GRACE),
    event('other secret', ...hour(), ...GRACE),
  )
  await connect()
  await untilRead()
  const recorded = (await meetings()).find(({ title }) => title === 'recorded secret')?.id.meeting_id ?? ''
  await service.db.sql`
    insert into relata.call_recordings (workspace_id, meeting_id, id, status, created_at, created_by)
    values (${service.workspaceId}, ${recorded}, ${crypto.randomUUID()}, 'completed', now(), 1)`
  const { db, blobs, now } = service.appContext
  const folder = mkdtempSync(join(tmpdir(), 'relata-calendar-export-'))
  try {
    const progress = createProgress({ write: () => {} })
    await exportWorkspace({ db, blobs, now, workspaceId: service.workspaceId, folder: join(folder, 'x'), progress })
    const files = readdirSync(join(folder, 'x'), { recursive: true, withFileTypes: true })
    const texts = files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    expect(texts.join('\n')).not.toMatch(/secret|calendar\.ics/)
    const exported = readFileSync(join(folder, 'x', 'meetings.ndjson'), 'utf8').trim().split('\n').map((line) => JSON.parse(line)) // prettier-ignore
    expect(exported).toMatchObject([{ id: recorded, title: 'Busy', description: '', external_key: null }])
    expect(readFileSync(join(folder, 'x', 'meeting-participants.ndjson'), 'utf8')).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** The texts of the files that an export of a person has. */
async function exportOf(address: string, isOperator: boolean): Promise<string> {
  const { db, blobs, now } = service.appContext
  const auditActor = { actor: { type: 'operator' as const, id: null }, address: null }
  const texts: string[] = []
  const add = async (name: string, chunks: AsyncIterable<Uint8Array>) => {
    texts.push(name)
    for await (const chunk of chunks) texts.push(Buffer.from(chunk).toString())
  }
  await exportPerson(
    { db, blobs, now, workspaceId: service.workspaceId, address, appUrl: '', auditActor, isOperator },
    add,
  )
  return texts.join('\n')
}

test('an admin exports of a person only meetings that are shared in full, the operator all', async () => {
  state.server.ics = calendar(event('secret', ...hour(), ...attendees('hopper@navy.mil')))
  const { id } = await connect({ sharing: 'exchange' })
  await untilRead()
  expect(await exportOf('hopper@navy.mil', false)).not.toContain('secret')
  expect(await exportOf('hopper@navy.mil', true)).toMatch(/restricted-meetings\.jsonl[^]*secret/)
  await ada.ask('PATCH', `${accounts()}/${id}`, { sharing: 'everything' })
  expect(await exportOf('hopper@navy.mil', false)).toMatch(/meetings\.jsonl[^]*secret/)
})

test('an erased person does not come back before the event changes', async () => {
  state.server.ics = calendar(event('call', changed(1), ...hour(), ...attendees('hopper@navy.mil', 'grace@navy.mil')))
  await connect()
  await untilRead()
  const body = { email_address: 'hopper@navy.mil', confirmation: 'hopper@navy.mil' }
  const erased = await ada.ask('POST', `/console/api/workspaces/${service.workspaceId}/personal-data/erase`, body)
  expect([erased.status, erased.body.message]).toEqual([200, undefined])
  state.server.ics += '\r\n'
  await readAgain()
  expect(JSON.stringify(await meetings())).not.toContain('hopper')
  expect(await titles()).toEqual(['call'])
})
